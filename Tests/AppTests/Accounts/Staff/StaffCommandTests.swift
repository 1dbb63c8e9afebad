import Core
import Foundation
import Testing
import Web

@testable import App

@Suite("pairspot admin, and sessions that an admin ends")
struct StaffCommandTests {
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

  @Test("A passkey counts as a second factor in lists")
  func passkey() throws {
    let instance = try TestInstance()
    try instance.couple()
    _ = try instance.signedIn("ann").addPasskey()
    try instance.appoint("ann@example.test", as: .admin)
    try instance.appoint("ben@example.test")
    #expect(
      try StaffCommands(instance.instance).list().objects().map { $0["second_factor"] as? Bool }
        == [true, false])
    let found = try AccountCommands(instance.instance).find("ann@example.test").objects()
    #expect(found.map { $0["second_factor"] as? Bool } == [true])
  }

  @Test("Scripts read the role, the link, and what a new account signs in with")
  func json() throws {
    let instance = try TestInstance()
    let service = StaffCommands(instance.instance)
    let new = try service.appoint(email: "new@example.test", as: .moderator).object()
    #expect(new["role"] as? String == "moderator" && new["created"] as? Bool == true)
    #expect((new["link"] as? String)?.hasPrefix("http://\(TestInstance.host)/staff/") == true)
    #expect(new["password"] == nil && new["otpauth_url"] == nil)
    let boss = try service.appoint(email: "boss@example.test", as: .admin, printsSecret: true)
      .object()
    #expect((boss["otpauth_url"] as? String)?.hasPrefix("otpauth://totp/") == true)
    #expect(boss["password"] is String && boss["link"] == nil)
    let again = try service.appoint(email: "boss@example.test", as: .admin).object()
    #expect(again["created"] as? Bool == false && again["link"] == nil)
    let reset = try service.resetSecondFactor(email: "boss@example.test").object()
    #expect(reset["email"] as? String == "boss@example.test" && reset["link"] is String)
  }

  @Test("A member without phone and codes signs in with the password alone, and is mailed")
  func reset() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    _ = try sam.turnOnSecondFactor(instance)
    let service = StaffCommands(instance.instance)
    let lines = try service.resetSecondFactor(email: "Sam@example.test").lines
    #expect(
      lines == ["Removed the second factor of Sam@example.test and ended all their sessions."])
    #expect(!sam.isSignedIn)
    #expect(instance.browser().signIn("sam@example.test", TestInstance.password).location == "/")
    let subjects = try instance.mails(to: "sam@example.test").map(\.subject)
    #expect(subjects.contains("Two-step verification is off"))
    let line = try instance.database.read {
      try $0.value("SELECT action FROM staff_log ORDER BY number DESC", as: String.self)
    }
    #expect(line == "second_factor_reset")
    #expect(throws: (any Error).self) {
      try service.resetSecondFactor(email: "nobody@example.test")
    }
  }

  @Test("A command writes its security events to the instance's log")
  func securityLog() throws {
    let instance = try TestInstance()
    let service = try StaffCommands.open(instance.instance.configuration)
    _ = try service.appoint(email: "new@example.test", as: .moderator)
    let log = instance.folder.appending(path: "logs/security.log")
    let text = try String(contentsOf: log, encoding: .utf8)
    #expect(text.contains("\"event\":\"role_changed\"") && !text.contains("new@"))
  }

  @Test("A moderator whose second factor was reset has no powers, and a link to set one up")
  func resetOfStaff() throws {
    let instance = try TestInstance()
    _ = try instance.moderator()
    let service = StaffCommands(instance.instance)
    let link = try #require(try service.resetSecondFactor(email: "mo@example.test").lines.last)
    let browser = try instance.signedIn("mo")
    #expect(browser.get("/admin/reports").status == 404)
    let path = String(link.dropFirst("http://\(TestInstance.host)".count))
    #expect(browser.get(path).status == 200)
  }

  @Test("Outside production a new admin can sign in at once")
  func printedSecret() throws {
    let instance = try TestInstance()
    let words = try StaffCommands(instance.instance).appoint(
      email: "boss@example.test", as: .admin, printsSecret: true
    ).lines.joined(separator: "\n")
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
        email: "boss@example.test", as: .admin, printsSecret: true)
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
