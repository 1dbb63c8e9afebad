import Accounts
import Core
import Database
import Testing
import Web

@testable import App

extension TestClient {
  /// The code shown to a guest, once.
  func recoveryCode() throws -> String {
    let page = self.get("/settings/recovery-code").text
    let found = try #require(page.firstMatch(of: /<b>([A-Z]{4}(-[A-Z]{4}){3})<\/b>/))
    return String(found.output.1)
  }
}

extension TestInstance {
  /// A browser in which a new guest is signed in.
  func guest(_ name: String) throws -> TestClient {
    let guests = instance.features.accounts.guests
    let door = Route(.post, "/guest", .anyone, options: .withoutCSRF) { context in
      _ = try guests.begin(name: name, context)
      return .seeOther("/")
    }
    let first = TestClient(
      try Application(
        site: instance.site, routes: [door], log: RequestLog(descriptor: -1, keys: instance.keys)))
    let answer = first.plainPost("/guest", [])
    guard answer.status == 303 else { throw Problem.tooMany(retryAfter: 1) }
    let browser = browser()
    browser.take(cookiesOf: first)
    return browser
  }

  /// Users of this name who are not deleted.
  func people(named name: String) throws -> [ID<Person>] {
    try database.read {
      try $0.values("SELECT id FROM users WHERE display_name = \(name) AND deleted_at IS NULL")
    }
  }
}
