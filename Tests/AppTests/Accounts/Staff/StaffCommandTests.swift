import Core
import Foundation
import Testing
import Web

@testable import App

@Suite("pairspot admin, and sessions that an admin ends")
struct StaffCommandTests {
  private func said(_ body: ((String) -> Void) throws -> Void) throws -> String {
    var lines: [String] = []
    try body { lines.append($0) }
    return lines.joined(separator: "\n")
  }

  @Test("The list names staff with their roles and whether they have a second factor")
  func list() throws {
    let instance = try TestInstance()
    let service = StaffCommands(instance.instance)
    #expect(try service.list().lines == ["There are no moderators or admins."])
    try instance.alone("sam")
    _ = try instance.moderator("ada", as: .admin)
    try instance.appoint("new@example.test")
    #expect(
      try service.list().lines == [
        "admin\tada@example.test\tAda\tsecond factor",
        "moderator\tnew@example.test\tnew\tno second factor",
      ])
  }

  @Test("A member without phone and codes signs in with the password alone, and is mailed")
  func reset() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    _ = try sam.turnOnSecondFactor(instance)
    let service = StaffCommands(instance.instance)
    let words = try said { try service.resetSecondFactor(email: "Sam@example.test", printLine: $0) }
    #expect(words.contains("ended all their sessions") && !words.contains("http"))
    #expect(!sam.isSignedIn)
    #expect(instance.browser().signIn("sam@example.test", TestInstance.password).location == "/")
    let subjects = try instance.mails(to: "sam@example.test").map(\.subject)
    #expect(subjects.contains("Two-step verification is off"))
    let line = try instance.database.read {
      try $0.value("SELECT action FROM staff_log ORDER BY number DESC", as: String.self)
    }
    #expect(line == "second_factor_reset")
    #expect(throws: (any Error).self) {
      try service.resetSecondFactor(email: "nobody@example.test") { _ in }
    }
  }

  @Test("A command writes its security events to the instance's log")
  func securityLog() throws {
    let instance = try TestInstance()
    let service = try StaffCommands.open(instance.instance.configuration)
    try service.appoint(email: "new@example.test", as: .moderator) { _ in }
    let log = instance.folder.appending(path: "logs/security.log")
    let text = try String(contentsOf: log, encoding: .utf8)
    #expect(text.contains("\"event\":\"role_changed\"") && !text.contains("new@"))
  }

  @Test("A moderator whose second factor was reset has no powers, and a link to set one up")
  func resetOfStaff() throws {
    let instance = try TestInstance()
    _ = try instance.moderator()
    let service = StaffCommands(instance.instance)
    let words = try said { try service.resetSecondFactor(email: "mo@example.test", printLine: $0) }
    let link = try #require(words.split(separator: "\n").last { $0.hasPrefix("http") })
    let browser = try instance.signedIn("mo")
    #expect(browser.get("/admin/reports").status == 404)
    let path = String(link.dropFirst("http://\(TestInstance.host)".count))
    #expect(browser.get(path).status == 200)
  }

  @Test("Outside production a new admin can sign in at once")
  func printedSecret() throws {
    let instance = try TestInstance()
    let words = try said {
      try StaffCommands(instance.instance).appoint(
        email: "boss@example.test", as: .admin, printsSecret: true, printLine: $0)
    }
    let password = try #require(words.firstMatch(of: /password: (\S+)/)).output.1
    let secret = try #require(words.firstMatch(of: /otpauth:\/\/totp\/\S+secret=([A-Z2-7]+)/))
    let app = try Authenticator(secret: String(secret.output.1), instance)
    let browser = instance.browser()
    #expect(browser.signIn("boss@example.test", String(password)).location == "/sign-in/code")
    #expect(browser.enter(app.code()).location == "/")
    #expect(browser.get("/admin/users").status == 200)
    let production = try TestInstance.inProduction()
    #expect(throws: StaffCommands.NotInProduction.self) {
      try StaffCommands(production.instance).appoint(
        email: "boss@example.test", as: .admin, printsSecret: true
      ) { _ in }
    }
    #expect(try production.count("SELECT count(*) FROM users") == 0)
  }

  @Test("An admin ends a user's sessions with the admin's password; user and log are notified")
  func endSessions() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    let (browser, app) = (try instance.signedIn("sam"), try instance.app(sam.id))
    let admin = try instance.moderator("ada", as: .admin)
    let person = "/admin/users/\(sam.id)"
    #expect(admin.get(person).shows("\(person)/sessions"))
    let page = admin.get("\(person)/sessions")
    #expect(page.status == 200 && page.shows("2 active sessions."))
    let wrong = admin.post("\(person)/sessions", ["current_password": "wrong"])
    #expect(wrong.status == 422 && wrong.shows("href=\"#current_password\""))
    #expect(browser.isSignedIn)
    let password = ["current_password": TestInstance.password]
    #expect(
      admin.post("\(person)/sessions", all: password.map { ($0.key, $0.value) }).location
        == person)
    #expect(!browser.isSignedIn)
    #expect(try instance.access(app) == "invalid_token")
    #expect(
      try instance.mails(to: "sam@example.test").last?.subject == "You were signed out of PairSpot")
    #expect(admin.get("/admin/log").shows("Signed a user out everywhere"))
    let moderator = try instance.moderator()
    #expect(moderator.get("\(person)/sessions").status == 404)
    #expect(admin.get("/admin/users/\(ID<Person>.random())/sessions").status == 404)
  }
}
