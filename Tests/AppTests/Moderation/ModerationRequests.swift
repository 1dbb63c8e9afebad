import Core
import Foundation
import Testing
import Web

@testable import App

/// Uses reports, decisions and blocks in every way once, to collect the query plans.
enum ModerationRequests {
  static func exercise(_ instance: TestInstance) throws {
    // Many sign-ins from one address hit the rate limit.
    instance.clock.advance(seconds: 61)
    try instance.couple("Ute & Ulf", "ute", "ulf")
    let ute = try instance.signedIn("ute")
    let others = try instance.members("gil", "gus", "gwyn")
    let (post, other) = (try ute.writeWithPicture("Buy"), try ute.write("Buy more"))
    // Written before the decisions, which suspend both of the couple.
    let later = try ute.write("Buy later")
    let couple = try #require(ute.call(.get, "/account").json["couple_id"] as? String)
    for reporter in others {
      reporter.get("\(post)/report")
      reporter.report(post)
      reporter.get("/settings/reports")
    }
    others[0].get("/couples/\(couple)/report")
    others[0].call(.post, "/couples/\(couple)/report", #"{"reason":"other","note":"Rude"}"#)
    #expect(others[1].call(.post, "\(other)/report", #"{"reason":"spam"}"#).status == 201)
    instance.clock.advance(seconds: 61)
    let mo = try instance.moderator("moe", as: .admin)
    try instance.work()
    for query in ["", "?reason=spam&age=day", "?state=hidden", "?couple=\(couple)"] {
      #expect(mo.get("/admin/reports\(query)").status == 200)
    }
    for path in mo.get("/admin/reports").cases {
      for picture in mo.get(path).pictures { mo.get(picture) }
      mo.decide(path, "suspend", until: "7")
    }
    ute.get("/settings/decisions")
    let appeal = try #require(
      ute.get("/settings/decisions").text
        .firstMatch(of: /action="(\/settings\/decisions\/[^"]+)"/).map { String($0.output.1) })
    ute.post(appeal, ["words": "No"])
    for path in mo.get("/admin/reports?state=appealed").cases { mo.decide(path, "dismiss") }
    others[0].report(later)
    others[0].post(try #require(others[0].get("/settings/reports").undo))
    others[1].report(later)
    let undone = try instance.onlyCase(mo)
    mo.decide(undone, "suspend", until: "1")
    #expect(mo.post(try #require(mo.get(undone).undo)).status == 303)
    mo.decide(undone, "dismiss")
    for page in [
      "", "/users", "/users?q=ut", "/users?state=suspended",
      "/couples",
      "/couples?q=ut", "/couples?state=hidden", "/log", "/health",
    ] {
      #expect(mo.get("/admin\(page)").status == 200)
    }
    #expect(mo.post("/admin/users", ["q": "ute@example.test"]).status == 303)
    let person = try #require(
      mo.get("/admin/users?q=Gil").text.firstMatch(of: /\/admin\/users\/[0-9a-f-]{36}/)?.output)
    for (decision, until) in [("suspend", "0"), ("dismiss", "")] {
      #expect(mo.decide(String(person), decision, until: until).status == 303)
    }
    #expect(mo.get("\(person)/role").status == 200)
    #expect(
      mo.post("\(person)/role", ["role": "moderator", "current_password": TestInstance.password])
        .status == 303)
    #expect(mo.decide("/admin/couples/\(couple)", "hide").status == 303)
    #expect(mo.decide("/admin/couples/\(couple)", "remove").status == 303)
    ute.get("/")
    #expect(mo.decide("/admin/couples/\(couple)", "dismiss").status == 303)
    mo.post("/admin/log")
    try exerciseVouchers(instance, mo, others[1])
    others[0].get("/couples/\(couple)/block")
    others[0].post("/couples/\(couple)/block")
    others[0].get("/settings/blocks")
    others[0].post("/settings/blocks", ["couple_id": couple])
    others[1].call(.post, "/couples/\(couple)/block")
    #expect(others[1].call(.get, "/blocks?limit=1").list("blocks").count == 1)
    others[1].call(.delete, "/couples/\(couple)/block")
    instance.clock.advance(seconds: 61)
  }

  /// Creates, redeems and ends vouchers, and spends their coins.
  private static func exerciseVouchers(
    _ instance: TestInstance, _ admin: TestClient, _ member: TestClient
  ) throws {
    let codes = try instance.codes(3, coins: 100, by: admin)
    let end = try instance.endOfVouchers(by: admin)
    for code in codes.prefix(2) { member.post("/wallet/redeem", ["code": code]) }
    #expect(admin.get(end).status == 200)
    #expect(admin.post(end).status == 303)
    member.post("/wallet/redeem", ["code": codes[2]])
    member.call(.post, "/wallet/redeem", "{\"code\":\"\(codes[0])\"}")
    let post = try member.write("Promote me")
    #expect(member.get("\(post)/promote").status == 200)
    #expect(member.post("\(post)/promote", ["days": "3", "nonce": "n"]).status == 303)
    #expect(member.promote(post).status == 200)
    #expect(member.get("/wallet").status == 200)
    #expect(admin.get("/").promoted.count == 1)
    for browser in [admin, member] {
      #expect(browser.call(.get, "/posts").status == 200)
    }
    let page = member.call(.get, "/wallet?limit=1")
    let cursor = try #require(page.json["next_cursor"] as? String)
    #expect(member.call(.get, "/wallet?limit=1&cursor=\(cursor)").status == 200)
  }
}
