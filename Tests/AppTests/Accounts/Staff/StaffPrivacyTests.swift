import Core
import Foundation
import Testing
import Web

@testable import App

@Suite("Pages of staff show no address, contact, place, album or couple-only post")
struct StaffPrivacyTests {
  @Test("Every page of staff, on an instance full of secrets")
  func pages() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    try ann.write("Secret for two", visibility: "couple")
    let open = try ann.writeWithPicture("Open words")
    let narrowed = try ann.write("Once open")
    let photo = try ann.addPhoto()
    ann.post(
      "/checkin/contacts", ["name": "Contact Carla", "email": "carla@example.test"])
    let sam = try instance.members("sam")[0]
    for post in [open, narrowed] { #expect(sam.report(post, "other", note: "Look").status == 303) }
    let couple = try #require(ann.call(.get, "/account").json["couple_id"] as? String)
    sam.report("/couples/\(couple)")
    ann.post("\(narrowed)/edit", ["content": "Now for two", "visibility": "couple"])
    let admin = try instance.moderator("ada", as: .admin)
    admin.decide("/admin/couples/\(couple)", "hide")
    var pages = [
      "/admin", "/admin/reports", "/admin/users?q=a", "/admin/users", "/admin/couples?q=a",
      "/admin/couples", "/admin/log", "/admin/health", "/admin/couples/\(couple)",
      "/admin/reports?couple=\(couple)", "/admin/reports?state=hidden",
    ]
    pages += admin.get("/admin/reports").cases + admin.get("/admin/reports?state=hidden").cases
    for name in ["Ann", "Ben", "Sam"] {
      pages += admin.get("/admin/users?q=\(name)").text
        .matches(of: /\/admin\/users\/[0-9a-f-]{36}/).map { String($0.output) }
        .flatMap { [$0, "\($0)/role"] }
    }
    #expect(pages.count > 15)
    let album = String(photo.suffix(36))
    for page in pages {
      let answer = admin.get(page)
      #expect(answer.status == 200, "\(page)")
      let secrets = [
        "@example.test", "Carla", "Secret for two", "Now for two", "Once open", album,
      ]
      for secret in secrets { #expect(!answer.shows(secret), "\(secret) on \(page)") }
      #expect(answer.headers[.cacheControl]?.contains("no-store") == true, "\(page)")
    }
    #expect(admin.post("/admin/log").text.contains("@example.test") == false)
  }

  @Test("The log as a file holds every line, and no formula")
  func logFile() throws {
    let instance = try TestInstance()
    let sam = try instance.members("sam")[0]
    let admin = try instance.moderator("ada", as: .admin)
    try instance.couple()
    sam.report(try instance.signedIn("ann").write("Words"))
    let path = try instance.onlyCase(admin)
    admin.decide(path, "warn", note: "=1+1, \"quoted\"")
    let file = admin.post("/admin/log")
    #expect(file.status == 200)
    #expect(file.headers[.contentType]?.hasPrefix("text/csv") == true)
    #expect(file.text.contains("\"'=1+1, \"\"quoted\"\"\""))
    // The header, the admin's own role, the warning, and the download of the log.
    #expect(file.text.split(separator: "\r\n").count == 4)
    #expect(admin.get("/admin/log").shows("Exported the log"))
  }

  @Test("Moderators get one mail an hour at most, and none while nothing new waits")
  func mail() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let posts = try (1...3).map { try ann.write("Post \($0)") }
    let sam = try instance.members("sam")[0]
    _ = try instance.moderator()
    func count() throws -> Int {
      try instance.mails(to: "mo@example.test").filter { $0.text.contains("/admin/reports") }.count
    }
    #expect(try count() == 0)
    sam.report(posts[0])
    instance.clock.advance(seconds: 600)
    #expect(try count() == 1)
    sam.report(posts[1])
    for _ in 0..<5 {
      instance.clock.advance(seconds: 600)
      #expect(try count() == 1)
    }
    instance.clock.advance(seconds: 660)
    #expect(try count() == 2)
    for _ in 0..<6 {
      instance.clock.advance(seconds: 1800)
      #expect(try count() == 2)
    }
    instance.clock.advance(seconds: 86_400)
    #expect(try count() == 3)
    let last = try #require(try instance.mails(to: "mo@example.test").last)
    #expect(last.subject == "2 reports waiting")
    #expect(!last.text.contains("Post 1"))
  }
}
