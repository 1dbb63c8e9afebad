import Core
import Foundation
import Testing
import Web

@testable import App

extension TestInstance {
  /// A browser of a moderator, signed in with the second factor.
  func moderator(_ name: String = "mo", as role: Role = .moderator) throws -> TestClient {
    try alone(name)
    return try promoted(name, as: role)
  }

  /// A browser of an admin, signed in with the second factor.
  func admin(_ name: String = "ada") throws -> TestClient { try moderator(name, as: .admin) }

  /// A browser of a signed-in member who has become staff.
  func promoted(_ name: String, as role: Role = .moderator) throws -> TestClient {
    let (app, _) = try signedIn(name).turnOnSecondFactor(self)
    try appoint("\(name)@example.test", as: role)
    let browser = try halfSignedIn(name)
    try #require(browser.enter(app.next()).location == "/")
    return browser
  }

  /// Single members, each in a browser.
  func members(_ names: String...) throws -> [TestClient] {
    try names.map {
      try alone($0)
      return try signedIn($0)
    }
  }

  /// Path of the only waiting case, found by a moderator.
  func onlyCase(_ moderator: TestClient, state: String = "open") throws -> String {
    let found = moderator.get("/admin/reports?state=\(state)").cases
    try #require(found.count == 1, "\(found)")
    return found[0]
  }
}

/// A post of Ann, and two other members.
struct ReportScenario {
  let instance: TestInstance
  let ann, sam, tia: TestClient
  let post: String

  init() throws {
    instance = try TestInstance()
    try instance.couple()
    ann = try instance.signedIn("ann")
    let others = try instance.members("sam", "tia")
    (sam, tia) = (others[0], others[1])
    post = try ann.write("Win coins today")
  }
}

extension TestClient {
  @discardableResult
  func report(_ thing: String, _ reason: String = "spam", note: String = "") -> TestResponse {
    post("\(thing)/report", ["reason": reason, "note": note])
  }

  /// Decides a case from its current page.
  @discardableResult
  func decide(
    _ path: String, _ decision: String, note: String = "Because of the rules", until: String = "",
    version: String? = nil
  ) -> TestResponse {
    let seen = version ?? self.get(path).value(of: "version") ?? ""
    return post(
      path, ["version": seen, "decision": decision, "note": note, "until": until])
  }
}

extension TestResponse {
  /// The cases of a queue, in order.
  var cases: [String] {
    text.matches(of: /href="(\/admin\/reports\/[0-9a-f-]{36})(?:\?[^"]*)?" data-testid="report"/)
      .map { String($0.output.1) }
  }

  /// The first form that takes something back.
  var undo: String? {
    text.firstMatch(of: /action="([^"]+\/undo)"/).map { String($0.output.1) }
  }
}
