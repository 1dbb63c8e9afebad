import Core
import Foundation
import Glibc
import HTTPTypes
import Testing
import Web

@testable import App

@Suite("The log of security events")
struct SecurityLogTests {
  private let path = FileManager.default.temporaryDirectory.appending(path: "log-\(UUID())").path

  /// Log lines of an instance during the body, which must be JSON without an address, name or
  /// secret in clear.
  private func lines(
    limits: Bool = false, _ variables: [String: String] = [:], secrets: [String] = [],
    _ body: (TestInstance) throws -> Void
  ) throws -> [[String: Any]] {
    let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    defer {
      close(descriptor)
      unlink(path)
    }
    let instance = try TestInstance(limits: limits, variables: variables, securityLog: descriptor)
    try body(instance)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    for trace in ["sam", "Sam", "example.test", "127.0.0.1", TestInstance.password] + secrets {
      #expect(!text.contains(trace), "\(trace)")
    }
    let lines = try text.split(separator: "\n").map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    for line in lines {
      #expect(line["log"] as? String == "security")
      let event = try #require(line["event"] as? String)
      #expect(SecurityEvent(rawValue: event) != nil)
      let counter = "pairspot_security_\(event)_total "
      #expect(instance.instance.site.metrics.text(gauges: []).contains(counter))
    }
    return lines
  }

  private func events(_ lines: [[String: Any]]) -> [String] {
    lines.compactMap { $0["event"] as? String }
  }

  @Test("A sign-in that fails and one that succeeds: when, where, whose account and from where")
  func signIn() throws {
    let lines = try lines(secrets: ["not it"]) { instance in
      try instance.alone("sam")
      let browser = instance.browser()
      let failed = browser.signIn("SAM@example.test", "not it")
      #expect(failed.status == 422)
      browser.signIn("nobody@example.test", "not it")
      browser.signIn("sam@example.test", "not it")
      browser.signIn("sam@example.test", TestInstance.password)
      browser.get("/settings")
    }
    #expect(events(lines) == Array(repeating: "sign_in_failed", count: 3) + ["sign_in_succeeded"])
    #expect(
      Set(lines[0].keys)
        == ["log", "event", "at", "id", "route", "status", "account", "address"])
    #expect(lines[0]["route"] as? String == "POST /sign-in" && lines[0]["status"] as? Int == 422)
    let accounts = lines.compactMap { $0["account"] as? String }
    #expect(accounts.count == 4 && accounts[0] == accounts[2] && accounts[0] != accounts[1])
    #expect(Set(lines.compactMap { $0["address"] as? String }).count == 1)
  }

  @Test("An app's sign-ins, and a refresh token that was used again")
  func app() throws {
    let lines = try lines { instance in
      try instance.alone("sam")
      let app = instance.client()
      app.login("sam", "wrong password")
      app.login("sam")
      let old = app.refreshToken
      app.refresh()
      instance.clock.advance(seconds: 60)
      app.refreshToken = old
      #expect(app.refresh().status == 401)
    }
    #expect(events(lines) == ["sign_in_failed", "sign_in_succeeded", "refresh_token_reused"])
    #expect(lines[1]["account"] as? String == lines[2]["account"] as? String)
  }

  @Test("Second factors: turned on, a wrong code, a right one, a recovery code")
  func secondFactor() throws {
    var secrets: [String] = []
    let lines = try lines { instance in
      try instance.alone("sam")
      let sam = try instance.signedIn("sam")
      let (app, codes) = try sam.turnOnSecondFactor(instance)
      secrets = codes
      let half = try instance.halfSignedIn("sam")
      half.enter(app.wrong)
      half.enter(app.next())
      try instance.halfSignedIn("sam").enter(codes[0])
    }
    #expect(
      events(lines) == [
        "sign_in_succeeded", "second_factor_changed", "second_factor_failed",
        "second_factor_accepted", "sign_in_succeeded", "recovery_code_used", "sign_in_succeeded",
      ])
    #expect(!secrets.isEmpty)
  }

  @Test("A password reset that is asked for and used, a password that is changed")
  func passwords() throws {
    let lines = try lines { instance in
      try instance.alone("sam")
      let browser = instance.browser()
      browser.post("/reset", ["email": "sam@example.test"])
      let link = try instance.link(to: "sam@example.test")
      let token = try #require(browser.get(link).value(of: "token"))
      browser.post("/reset/confirm", ["token": token, "password": TestInstance.password])
      let sam = try instance.signedIn("sam")
      sam.post("/settings/password", ["current_password": "no", "password": "another sentence"])
      sam.post(
        "/settings/password",
        ["current_password": TestInstance.password, "password": "another sentence"])
    }
    #expect(
      events(lines) == [
        "reset_asked", "reset_used", "sign_in_succeeded", "reauthentication_failed",
        "password_changed",
      ])
  }

  @Test("A form without its token, on pages and in the API")
  func csrf() throws {
    let lines = try lines { instance in
      try instance.alone("sam")
      let sam = try instance.signedIn("sam")
      #expect(sam.plainPost("/settings/sessions", [("others", "1")]).status == 403)
      #expect(
        sam.send(.post, "/api/v1/auth/reauthenticate", headers: [.fetchSite: "cross-site"]).status
          == 403)
    }
    #expect(events(lines) == ["sign_in_succeeded", "csrf_refused", "csrf_refused"])
  }

  @Test("A member on pages of staff is an event; staff are not")
  func staffRoutes() throws {
    let lines = try lines { instance in
      try instance.alone("sam")
      let sam = try instance.signedIn("sam")
      #expect(sam.get("/admin/reports").status == 404 && sam.get("/admin").status == 404)
      let admin = try instance.moderator("ada", as: .admin)
      #expect(admin.get("/admin/users/nobody").status == 404)
    }
    let refused = lines.filter { $0["event"] as? String == "staff_route_refused" }
    #expect(refused.map { $0["route"] as? String } == ["GET /admin/reports", "GET /admin"])
  }

  @Test("A role that an admin gives, and one that is given on the server")
  func roles() throws {
    let lines = try lines { instance in
      _ = try instance.members("sam")
      let admin = try instance.moderator("ada", as: .admin)
      let path = try String(
        #require(
          admin.get("/admin/users?q=Sam").text.firstMatch(of: /\/admin\/users\/[0-9a-f-]{36}/)
        ).output)
      #expect(
        admin.post(
          "\(path)/role", ["role": "moderator", "current_password": TestInstance.password]
        ).status == 303)
    }
    let changes = lines.filter { $0["event"] as? String == "role_changed" }
    #expect(changes.map { $0["route"] as? String }.contains("admin create"))
    #expect(changes.last?["route"] as? String == "POST /admin/users/:id/role")
  }

  @Test("A limit that is reached")
  func limits() throws {
    let lines = try lines(limits: true) { instance in
      let stranger = instance.browser()
      for _ in 1...11 { stranger.post("/recover", ["recovery_code": "ABCD-EFGH-JKLM-NPQR"]) }
    }
    #expect(events(lines) == Array(repeating: "sign_in_failed", count: 10) + ["limit_reached"])
  }

  @Test("A call of Resend's that is not signed by it")
  func webhook() throws {
    let variables = ["RESEND_WEBHOOK_SECRET": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]
    let lines = try lines(variables) { instance in
      let answer = instance.browser().send(.post, "/webhooks/resend", body: Array("{}".utf8))
      #expect(answer.status == 401)
    }
    #expect(events(lines) == ["signature_refused"])
  }

  @Test("In development the log is a file, in production standard output")
  func places() throws {
    let instance = try TestInstance()
    let file = instance.instance.configuration.securityLog()
    defer { close(file) }
    #expect(file > STDERR_FILENO)
    let log = instance.folder.appending(path: "logs/security.log").path
    #expect(FileManager.default.fileExists(atPath: log))
    #expect(
      try TestInstance.inProduction().instance.configuration.securityLog() == STDOUT_FILENO)
  }
}
