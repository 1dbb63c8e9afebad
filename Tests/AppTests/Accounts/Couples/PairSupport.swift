import Core
import Database
import Foundation
import Testing

@testable import App

extension TestClient {
  /// Invites an address as the member signed in here.
  @discardableResult
  func invite(_ email: String) -> TestResponse { post("/pair", ["email": email]) }

  /// Follows the link of an invitation and presses the button.
  @discardableResult
  func acceptPair(_ link: String) throws -> TestResponse {
    let page = get(link)
    try #require(page.status == 200, "\(page.status) \(page.location ?? "")")
    return post("/pair/accept", ["token": try #require(page.value(of: "token"))])
  }

  @discardableResult
  func part(_ password: String = TestInstance.password) -> TestResponse {
    get("/settings/part")
    return post("/settings/part", ["current_password": password])
  }
}

extension TestInstance {
  /// The last link to an invitation that went to this address.
  func invitation(to name: String) throws -> String {
    let links = try mails(to: "\(name)@example.test").compactMap(\.link)
    return try #require(links.last { $0.hasPrefix("/pair/accept?token=") })
  }

  /// Makes a couple of two single members; returns their browsers and the couple's page.
  func paired(_ first: String, _ second: String) throws -> (TestClient, TestClient, String) {
    let (one, two) = (try signedIn(first), try signedIn(second))
    one.invite("\(second)@example.test")
    let answer = try two.acceptPair(invitation(to: second))
    let page = try #require(answer.location)
    try #require(page.hasPrefix("/couples/"))
    return (one, two, page)
  }

  /// The status of each couple, by its name.
  func couples() throws -> [String: String] {
    let rows = try database.read {
      try $0.rows("SELECT name, status FROM couples") {
        (try $0.next(String.self), try $0.next(String.self))
      }
    }
    return Dictionary(rows) { "\($0) \($1)" }
  }

  /// Findings of the doctor except waiting stream updates, which this instance does not send.
  func problems() throws -> [String] {
    try database.write { _ = try $0.execute("DELETE FROM live_news") }
    return try instance.doctorChecks.flatMap { try $0.find(database) }
  }
}
