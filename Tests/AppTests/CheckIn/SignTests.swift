import Core
import Database
import Foundation
import Testing

@testable import App
@testable import CheckIn

@Suite("Other signs of life")
struct SignTests {
  private static let page = "/checkin/signs"

  private func choose(_ fields: [(String, String)], _ browser: TestClient) {
    browser.get(Self.page)
    #expect(browser.post(Self.page, all: [("button", "save")] + fields).status == 303)
  }

  /// The path of a new address for calls.
  private func address(_ browser: TestClient) throws -> String {
    browser.get(Self.page)
    let shown = browser.post(Self.page, ["button": "new-ping"])
    #expect(shown.status == 200 && shown.headers[.cacheControl] == "no-store")
    let match = try #require(
      shown.text.firstMatch(of: /(\/api\/v1\/checkin\/ping\/[\w-]{43})/))
    return String(match.output.1)
  }

  private func checkIns(_ instance: TestInstance) throws -> Int {
    try instance.number("SELECT count(*) FROM check_ins")
  }

  /// Mei, who has checked in yesterday.
  private func yesterday(_ instance: TestInstance) throws -> TestClient {
    try instance.watched()
    let mei = try instance.signedIn("mei")
    instance.clock.advance(seconds: .days(1))
    return mei
  }

  @Test("A post counts once the user has chosen so, and ends an alert")
  func post() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    #expect(ann.begin("Ann", contact: "kai@example.test").status == 303)
    instance.clock.advance(seconds: .days(1))
    ann.upload("/posts", [("content", "One")], files: [])
    #expect(try checkIns(instance) == 1)
    choose([("posts", "1")], ann)
    try instance.goQuiet()
    #expect(try instance.number("SELECT count(*) FROM alerts WHERE ended_at IS NULL") == 1)
    ann.upload("/posts", [("content", "Two")], files: [])
    #expect(try checkIns(instance) == 2)
    #expect(try instance.number("SELECT count(*) FROM alerts WHERE ended_at IS NULL") == 0)
    #expect(ann.get("/checkin/record").shows("You posted, which counted as a check-in"))
    choose([], ann)
    instance.clock.advance(seconds: .days(1))
    ann.upload("/posts", [("content", "Three")], files: [])
    #expect(try checkIns(instance) == 2)
  }

  @Test("A workout that ended today counts, an older one does not, nor one sent twice")
  func workout() throws {
    let instance = try TestInstance()
    let mei = try yesterday(instance)
    choose([("workouts", "1")], mei)
    try mei.uploadBatch([instance.session(.days(1))])
    #expect(try checkIns(instance) == 1)
    let session = instance.session()
    try mei.uploadBatch([session])
    #expect(try checkIns(instance) == 2)
    instance.clock.advance(seconds: .days(1))
    try mei.uploadBatch([session])
    #expect(try checkIns(instance) == 2)
  }

  @Test("A call of the address counts, without any cookie, until it is removed")
  func ping() throws {
    let instance = try TestInstance()
    let mei = try yesterday(instance)
    let path = try address(mei)
    let answer = instance.browser().send(.post, path)
    #expect(answer.status == 204 && answer.text.isEmpty)
    #expect(try checkIns(instance) == 2)
    #expect(instance.browser().send(.post, path).status == 204)
    #expect(try checkIns(instance) == 2)
    #expect(instance.browser().get(path).status == 405)
    // The page does not show it again.
    #expect(!mei.get(Self.page).shows(path))
    let other = try address(mei)
    #expect(instance.browser().send(.post, path).status == 404)
    #expect(instance.browser().send(.post, other).status == 204)
    mei.post(Self.page, ["button": "remove-ping"])
    #expect(instance.browser().send(.post, other).status == 404)
  }

  @Test("A sign of life ends no call for help and no alert of a timer; a tap does")
  func help() throws {
    let instance = try TestInstance()
    let mei = try yesterday(instance)
    let path = try address(mei)
    mei.post("/checkin/help", ["note": "Fell"])
    let open: Query = "SELECT count(*) FROM alerts WHERE ended_at IS NULL"
    #expect(try instance.number(open) == 1)
    #expect(instance.browser().send(.post, path).status == 204)
    #expect(try checkIns(instance) == 2 && instance.number(open) == 1)
    mei.tap()
    #expect(try instance.number(open) == 0)
  }

  @Test("What ends the address asks first")
  func asking() throws {
    let instance = try TestInstance()
    let mei = try yesterday(instance)
    #expect(mei.get(Self.page).shows("value=\"new-ping\""))
    _ = try address(mei)
    let page = mei.get(Self.page)
    #expect(!page.shows("value=\"new-ping\"") && !page.shows("value=\"remove-ping\""))
    for (ask, words) in [
      ("new-ping", "Create a new address?"), ("remove-ping", "Remove the address?"),
    ] {
      #expect(page.shows("href=\"\(Self.page)?ask=\(ask)\""))
      let question = mei.get("\(Self.page)?ask=\(ask)")
      #expect(question.shows(words) && question.value(of: "button") == ask)
    }
    for ask in ["save", "x", ""] {
      #expect(mei.get("\(Self.page)?ask=\(ask)").shows("name=\"posts\""))
    }
  }

  @Test("A page of another site cannot call the address")
  func foreign() throws {
    let instance = try TestInstance()
    let path = try address(try yesterday(instance))
    let answer = instance.browser().send(.post, path, headers: [.origin: "https://evil.example"])
    #expect(answer.status == 403)
    #expect(try checkIns(instance) == 1)
  }

  @Test("Wrong addresses are limited by where they come from, right ones by user")
  func limits() throws {
    let instance = try TestInstance(limits: true)
    let path = try address(try yesterday(instance))
    for _ in 0..<60 { #expect(instance.browser().send(.post, path).status == 204) }
    #expect(instance.browser().send(.post, path).status == 429)
    let wrong = String(path.dropLast(3)) + "AAA"
    for _ in 0..<30 { #expect(instance.browser().send(.post, wrong).status == 404) }
    #expect(instance.browser().send(.post, wrong).status == 429)
  }

  @Test("During a pause only a tap counts")
  func pause() throws {
    let instance = try TestInstance()
    let mei = try yesterday(instance)
    let path = try address(mei)
    let person = try instance.person("Mei")
    try instance.database.write {
      let today = LocalDay(instance.clock.now(), in: TimeZone(identifier: "Asia/Taipei") ?? .gmt)
      try instance.checkIn.monitors.pause(
        person, from: today, until: today.adding(days: 5), in: $0)
    }
    #expect(instance.browser().send(.post, path).status == 204)
    #expect(try checkIns(instance) == 1)
  }

  @Test("The address of a deleted account counts no more")
  func deleted() throws {
    let instance = try TestInstance()
    let path = try address(try yesterday(instance))
    try instance.database.write {
      try $0.execute("UPDATE users SET deleted_at = \(instance.clock.now())")
    }
    #expect(instance.browser().send(.post, path).status == 204)
    #expect(try checkIns(instance) == 1)
  }
}
