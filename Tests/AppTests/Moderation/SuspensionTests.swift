import Core
import Foundation
import HTTPTypes
import Testing
import Web

@testable import App

@Suite("A suspended user may stay, read and check in, but do nothing visible to others")
struct SuspensionTests {
  /// An admin, and a user suspended for this number of days; 0 for permanent.
  private func scenario(_ days: String) throws -> (TestInstance, admin: TestClient, sam: TestClient)
  {
    let instance = try TestInstance()
    let sam = try instance.members("sam")[0]
    let admin = try instance.moderator("ada", as: .admin)
    let path = try person("Sam", admin)
    try #require(admin.decide(path, "suspend", note: "Spam", until: days).status == 303)
    return (instance, admin, sam)
  }

  private func person(_ name: String, _ admin: TestClient) throws -> String {
    let found = admin.get("/admin/users?q=\(name)").text
      .firstMatch(of: /\/admin\/users\/[0-9a-f-]{36}/)
    return try String(#require(found).output)
  }

  @Test("Posting, liking, reporting and new pictures are 403 that says why and until when")
  func forbidden() throws {
    let (instance, _, sam) = try scenario("7")
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let post = try ann.write("Hello")
    let couple = "/couples/\(ann.call(.get, "/account").json["couple_id"] as? String ?? "")"
    let ways: [(String, KeyValuePairs<String, String>)] = [
      ("/posts", ["content": "Hi", "visibility": "public"]), ("\(post)/like", [:]),
      ("\(couple)/follow", [:]),
      ("\(post)/report", ["reason": "spam"]), ("\(couple)/report", ["reason": "spam"]),
      ("/settings/profile", ["display_name": "Other"]),
    ]
    for (path, fields) in ways {
      let answer = sam.post(path, fields)
      #expect(answer.status == 403, "\(path)")
      #expect(answer.shows("Spam") && answer.shows("9 March 2026"), "\(path)")
      #expect(answer.shows("/settings/decisions"), "\(path)")
    }
    for path in ["\(post)/like", "\(post)/report", "\(couple)/report"] {
      let answer = sam.call(.post, path, path.hasSuffix("like") ? nil : #"{"reason":"spam"}"#)
      #expect(answer.status == 403 && answer.code == "suspended", "\(path)")
      #expect(answer.message?.contains("Spam") == true)
    }
    #expect(sam.get("/").shows("You’re suspended"))
    #expect(!sam.get("/").shows("data-composer"))
  }

  @Test("Suspended users can't create or lead groups; they can join, call for help and hand over")
  func groups() throws {
    let instance = try TestInstance()
    let (sam, tia) = { ($0[0], $0[1]) }(try instance.members("sam", "tia"))
    let group = try sam.makeGroup()
    tia.join(try sam.code(of: group))
    let (samID, tiaID) = (try Self.id(sam), try Self.id(tia))
    let admin = try instance.moderator("ada", as: .admin)
    let path = try person("Sam", admin)
    #expect(admin.decide(path, "suspend", note: "Spam", until: "7").status == 303)
    let forbidden: [(String, KeyValuePairs<String, String>)] = [
      ("/groups", ["name": "Another"]), ("\(group.page)/settings", ["name": "Other name"]),
      (group.invite, ["button": "renew"]), ("\(group.page)/commands", ["kind": "gather"]),
      ("\(group.page)/waypoints", ["name": "Hut", "latitude": "1", "longitude": "1"]),
      ("\(group.page)/members/\(tiaID)/remove", [:]),
      ("\(group.page)/members/\(tiaID)/allow", [:]),
    ]
    for (path, fields) in forbidden {
      let answer = sam.post(path, fields)
      #expect(answer.status == 403 && answer.shows("Spam"), "\(path) \(answer.status)")
    }
    let place = #"{"name":"Hut","latitude":1,"longitude":1}"#
    let calls: [(HTTPRequest.Method, String, String?)] = [
      (.post, "/groups", #"{"name":"Another"}"#), (.patch, group.call, #"{"name":"Other"}"#),
      (.post, "\(group.call)/invite", nil),
      (.post, "\(group.call)/commands", #"{"kind":"gather"}"#),
      (.post, "\(group.call)/waypoints", place),
      (.delete, "\(group.call)/members/\(tiaID)", nil),
      (.post, "\(group.call)/members/\(tiaID)/allow", nil),
    ]
    for (method, path, body) in calls {
      let answer = sam.call(method, path, body)
      #expect(answer.status == 403 && answer.code == "suspended", "\(path) \(answer.text)")
    }
    #expect(try instance.count("SELECT count(*) FROM groups") == 1)
    #expect(tia.group(group).members.count == 2)
    // The lead cannot be handed back to the suspended user, and goes to a user who may lead.
    #expect(sam.group(group).status == 200)
    #expect(sam.post("\(group.page)/members/\(tiaID)/lead").status == 303)
    #expect(tia.post("\(group.page)/members/\(samID)/lead").status == 409)
    #expect(sam.post("\(group.page)/commands", ["kind": "need_help"]).status == 303)
    #expect(sam.share(25, 121, with: group).status < 300)
    // Left alone, the suspended user leads in name only: a group with a member isn't over, but the
    // user cannot act in it.
    #expect(tia.post("\(group.page)/leave").status == 303)
    #expect(sam.group(group).member("Sam")?["role"] as? String == "leader")
    #expect(sam.call(.patch, group.call, #"{"name":"Other"}"#).code == "suspended")
  }

  private static func id(_ browser: TestClient) throws -> String {
    try #require(browser.call(.get, "/account").json["id"] as? String)
  }

  @Test("Signing in, reading, checking in, exporting and deleting still work")
  func allowed() throws {
    let (instance, _, _) = try scenario("0")
    let sam = try instance.signedIn("sam")
    for path in ["/", "/settings", "/settings/decisions", "/settings/export", "/settings/delete"] {
      #expect(sam.get(path).status == 200, "\(path)")
    }
    #expect(sam.get("/settings/decisions").shows("Permanently. Reason: Spam"))
    sam.begin("Sam", contact: "kai@example.test")
    #expect(sam.get("/checkin").status == 200)
    #expect(try instance.count("SELECT count(*) FROM check_ins") == 1)
    #expect(sam.post("/settings/export").status == 303)
    let deleted = sam.post("/settings/delete", ["current_password": TestInstance.password])
    #expect(deleted.status == 303)
  }

  @Test("It ends by itself, and can be lifted before")
  func ends() throws {
    let (instance, admin, sam) = try scenario("1")
    #expect(sam.post("/posts", ["content": "Hi", "visibility": "public"]).status == 403)
    instance.clock.advance(seconds: 86_400)
    _ = try sam.write("Back")
    let other = try scenario("30")
    let path = try person("Sam", other.admin)
    #expect(other.admin.get("/admin/users").shows("Suspended until"))
    #expect(other.admin.decide(path, "dismiss", note: "Long enough").status == 303)
    _ = try other.sam.write("Back too")
    let actions = try other.0.database.read {
      try $0.rows(
        "SELECT action, details FROM staff_log WHERE action <> 'role' ORDER BY number"
      ) {
        [try $0.next(String.self), try $0.next(String.self)]
      }
    }
    #expect(actions == [["suspend", "30 days"], ["lift", "before: suspend"]])
    _ = admin
  }

  @Test("People and couples are listed, the newest first, and found by any part or their address")
  func lists() throws {
    let instance = try TestInstance()
    try instance.couple()
    for name in ["sam", "tia"] {
      instance.clock.advance(seconds: 60)
      try instance.alone(name)
    }
    instance.clock.advance(seconds: 60)
    let admin = try instance.moderator("ada", as: .admin)
    func names(_ query: String) -> [String] {
      admin.get("/admin/users\(query)").text.matches(of: /setting-words"><b>([^<]+)</)
        .map { String($0.output.1) }
    }
    #expect(Array(names("").prefix(3)) == ["Ada", "Tia", "Sam"])
    #expect(names("?q=IA") == ["Tia"] && names("?state=suspended") == [])
    func find(_ text: String) -> TestResponse { admin.post("/admin/users", ["q": text]) }
    #expect(find("Tia").location == "/admin/users?q=Tia")
    let sam = try #require(find("sam@example.TEST").location)
    #expect(admin.get(sam).status == 200 && admin.get(sam).shows("Sam"))
    let unknown = find("nobody@example.test")
    #expect(unknown.status == 200 && unknown.shows("No results"))
    try instance.database.write {
      try $0.execute("UPDATE users SET display_name = 'Élodie @ home' WHERE display_name = 'Tia'")
    }
    #expect(names("?q=%C3%A9lodie") == ["Élodie @ home"] && names("?q=ELO") == ["Élodie @ home"])
    #expect(find("élodie @").shows("<b>Élodie @ home</b>"))
    try instance.database.write { try $0.execute("UPDATE couples SET name = 'Ánn & Ben'") }
    #expect(admin.get("/admin/couples?q=%C3%A1nn").shows("Ánn &amp; Ben"))
    try instance.database.write { try $0.execute("UPDATE couples SET name = 'Ann & Ben'") }
    #expect(admin.get("/admin/users?q=Ada").shows("last seen just now"))
    #expect(admin.get("/admin/couples?q=n+%26+B").shows("Ann &amp; Ben"))
    #expect(!admin.get("/admin/couples?state=hidden").shows("Ann &amp; Ben"))
    let ids = try instance.database.read {
      try $0.values("SELECT id FROM users ORDER BY id DESC", as: ID<Person>.self)
    }
    #expect(names("?before=\(ids[1])") == Array(names("").dropFirst(2)))
  }

  @Test("A short suspension doesn't end a long one, and taking one back leaves the other")
  func several() throws {
    let (instance, admin, sam) = try scenario("7")
    let mo = try instance.moderator()
    let tia = try instance.members("tia")[0]
    // Written before the suspension, reported after it: a second reason for a suspension.
    try instance.database.write { try $0.execute("UPDATE users SET suspended_until = NULL") }
    tia.report(try sam.write("First"))
    let first = try instance.onlyCase(mo)
    mo.decide(first, "suspend", note: "Short", until: "1")
    #expect(sam.get("/settings/decisions").shows("9 March 2026"))
    #expect(sam.post("/posts", ["content": "Hi"]).shows("Spam"))
    let path = try person("Sam", admin)
    instance.clock.advance(seconds: 60)
    mo.decide(first, "suspend", note: "Worse", until: "30")
    #expect(sam.post("/posts", ["content": "Hi"]).shows("Worse"))
    mo.decide(first, "dismiss", note: "No, nothing")
    #expect(sam.post("/posts", ["content": "Hi"]).shows("Spam"))
    mo.decide(first, "suspend", note: "Yes, it is", until: "0")
    instance.clock.advance(seconds: 60)
    // Lifting a user's suspension lifts all of them.
    #expect(admin.decide(path, "dismiss", note: "Enough").status == 303)
    _ = try sam.write("Back")
    mo.decide(first, "hide", note: "Hidden stays")
    _ = try sam.write("Still back")
  }

  @Test("A suspended guest reads the reason and appeals; as a member the user stays suspended")
  func guests() throws {
    let instance = try TestInstance()
    let gia = try instance.guest("Gia")
    let admin = try instance.moderator("ada", as: .admin)
    let path = try person("Gia", admin)
    #expect(admin.decide(path, "suspend", note: "Shouting", until: "30").status == 303)
    #expect(gia.post("/groups", ["name": "Mine"]).status == 403)
    #expect(gia.get("/settings/decisions").shows("Shouting"))
    let appeal = try #require(
      gia.get("/settings/decisions").text
        .firstMatch(of: /action="(\/settings\/decisions\/[^"]+)"/).map { String($0.output.1) })
    #expect(gia.post(appeal, ["words": "Sorry"]).status == 303)
    let member = try instance.alone("kim")
    let id = try #require(ID<Person>(String(path.suffix(36))))
    let now = instance.clock.now()
    try instance.database.write { writer in
      for participant in instance.instance.participants {
        try participant.merge(guest: id, into: member.id, now: now, in: writer)
      }
    }
    let kim = try instance.signedIn("kim")
    #expect(kim.post("/posts", ["content": "Hi"]).shows("Shouting"))
    #expect(admin.decide("/admin/users/\(member.id)", "dismiss").status == 303)
    _ = try kim.write("Free")
  }

  @Test("A name is public, so it can't be changed in the API either; language and zone can")
  func names() throws {
    let (_, _, sam) = try scenario("7")
    let answer = sam.call(.patch, "/account", #"{"display_name":"Other"}"#)
    #expect(answer.status == 403 && answer.code == "suspended")
    #expect(sam.call(.patch, "/account", #"{"language":"zh-Hant"}"#).status == 200)
  }

  @Test("A suspension can be appealed, and the appeal granted")
  func appeal() throws {
    let (_, admin, sam) = try scenario("0")
    let appeal = try #require(
      sam.get("/settings/decisions").text
        .firstMatch(of: /action="(\/settings\/decisions\/[^"]+)"/).map { String($0.output.1) })
    #expect(sam.post(appeal, ["words": "It was my brother"]).status == 303)
    let found = admin.get("/admin/reports?state=appealed").cases
    #expect(found.count == 1)
    #expect(admin.decide(found[0], "dismiss", note: "All right").status == 303)
    _ = try sam.write("Thanks")
    #expect(sam.get("/settings/decisions").status == 200)
  }

  @Test("Staff can't be suspended, and a report that suspends does so for its author alone")
  func staff() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let post = try ann.write("Buy")
    let sam = try instance.members("sam")[0]
    sam.report(post)
    let mo = try instance.moderator()
    let admin = try instance.moderator("ada", as: .admin)
    let path = try instance.onlyCase(mo)
    #expect(mo.decide(path, "suspend").status == 422)
    #expect(mo.decide(path, "suspend", until: "30").status == 303)
    #expect(ann.post("/posts", ["content": "Hi", "visibility": "public"]).status == 403)
    _ = try instance.signedIn("ben").write("Not me")
    #expect(sam.get(post).status == 404)
    #expect(admin.get(try person("Ann", admin)).shows("Suspend: 30 days"))
    #expect(admin.decide(try person("Mo", admin), "suspend", until: "1").status == 422)
  }
}
