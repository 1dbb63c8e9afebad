import Basics
import Foundation
import Testing
import Web

@testable import App

@Suite("Somebody suspended may stay, read and check in, and nothing that others see")
struct SuspensionTests {
  /// An admin, and somebody who is suspended for so many days; 0 for good.
  private func scene(_ days: String) throws -> (TestHouse, admin: Browser, sam: Browser) {
    let house = try TestHouse()
    let sam = try house.members("sam")[0]
    let admin = try house.moderator("ada", as: .admin)
    let path = try person("Sam", admin)
    try #require(admin.decide(path, "suspend", note: "Spam", until: days).status == 303)
    return (house, admin, sam)
  }

  private func person(_ name: String, _ admin: Browser) throws -> String {
    let found = admin.get("/admin/users?q=\(name)").text
      .firstMatch(of: /\/admin\/users\/[0-9a-f-]{36}/)
    return try String(#require(found).output)
  }

  @Test("Posting, liking, reporting and new pictures are 403 that says why and until when")
  func forbidden() throws {
    let (house, _, sam) = try scene("7")
    try house.couple()
    let ann = try house.signedIn("ann")
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

  @Test("Signing in, reading, checking in, taking data along and deleting go on")
  func allowed() throws {
    let (house, _, _) = try scene("0")
    let sam = try house.signedIn("sam")
    for path in ["/", "/settings", "/settings/decisions", "/settings/export", "/settings/delete"] {
      #expect(sam.get(path).status == 200, "\(path)")
    }
    #expect(sam.get("/settings/decisions").shows("For good. Why: Spam"))
    sam.begin("Sam", contact: "kai@example.test")
    #expect(sam.get("/checkin").status == 200)
    #expect(try house.count("SELECT count(*) FROM check_ins") == 1)
    #expect(sam.post("/settings/export").status == 303)
    let deleted = sam.post("/settings/delete", ["current_password": TestHouse.password])
    #expect(deleted.status == 303)
  }

  @Test("It ends by itself, and can be lifted before")
  func ends() throws {
    let (house, admin, sam) = try scene("1")
    #expect(sam.post("/posts", ["content": "Hi", "visibility": "public"]).status == 403)
    house.clock.advance(seconds: 86_400)
    _ = try sam.write("Back")
    let other = try scene("30")
    let path = try person("Sam", other.admin)
    #expect(other.admin.get("/admin/users").shows("Suspended until"))
    #expect(other.admin.decide(path, "dismiss", note: "Long enough").status == 303)
    _ = try other.sam.write("Back too")
    let actions = try other.0.database.read {
      try $0.rows("SELECT action, details FROM staff_log ORDER BY id") { [$0.text(0), $0.text(1)] }
    }
    #expect(actions == [["suspend", "30 days"], ["lift", "before: suspend"]])
    _ = admin
  }

  @Test("A suspension can be appealed, and the appeal granted")
  func appeal() throws {
    let (_, admin, sam) = try scene("0")
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
    let house = try TestHouse()
    try house.couple()
    let ann = try house.signedIn("ann")
    let post = try ann.write("Buy")
    let sam = try house.members("sam")[0]
    sam.report(post)
    let mo = try house.moderator()
    let admin = try house.moderator("ada", as: .admin)
    let path = try house.onlyCase(mo)
    #expect(mo.decide(path, "suspend").status == 422)
    #expect(mo.decide(path, "suspend", until: "30").status == 303)
    #expect(ann.post("/posts", ["content": "Hi", "visibility": "public"]).status == 403)
    _ = try house.signedIn("ben").write("Not me")
    #expect(sam.get(post).status == 404)
    #expect(admin.decide(try person("Mo", admin), "suspend", until: "1").status == 422)
  }
}
