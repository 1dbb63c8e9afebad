import Core
import Foundation
import Testing

@testable import App
@testable import CheckIn

@Suite("A check-in while a timer runs")
struct TapWithTimerTests {
  private static let page = "/checkin/timer"

  /// Mei, with a timer of a quarter of an hour that alerts five minutes later.
  private func running(_ instance: TestInstance) throws -> (TestClient, ID<Person>) {
    let person = try instance.watched()
    let mei = try instance.signedIn("mei")
    let answer = mei.post(
      Self.page, ["button": "start", "minutes": "15", "grace": "5", "note": ""])
    try #require(answer.status == 303, "\(answer.text)")
    return (mei, person)
  }

  @Test("The page after it shows the timer with its buttons", arguments: [12, 16] as [Int64])
  func page(minutes: Int64) throws {
    let instance = try TestInstance()
    let (mei, _) = try running(instance)
    instance.clock.advance(seconds: .minutes(minutes))
    #expect(mei.tap().location == "/checkin")
    #expect(mei.cookie("toast") == "toast.checked_in_timer")
    let page = mei.get("/checkin")
    #expect(page.shows(minutes < 15 ? "Your timer runs until" : "Your timer ran until"))
    #expect(page.shows("I’m back") && page.shows("30 minutes more"))
    mei.post(Self.page, ["button": "end"])
    mei.tap()
    #expect(mei.cookie("toast") == "toast.checked_in_already")
  }

  @Test("A tap that ends the alert of a timer speaks of the all-clear")
  func alerted() throws {
    let instance = try TestInstance()
    let (mei, _) = try running(instance)
    instance.clock.advance(seconds: .minutes(21))
    try CheckInScan(services: instance.checkIn).run(now: instance.clock.now())
    mei.tap()
    #expect(mei.cookie("toast") == "toast.checked_in_all_clear")
  }

  @Test("The page of a mailed link says that the timer runs, before and after the check-in")
  func link() throws {
    let instance = try TestInstance()
    let (_, person) = try running(instance)
    let browser = instance.browser()
    let done = browser.get(instance.tapPage(person))
    #expect(done.shows("Your timer runs until") && !done.shows("nothing more to do"))
    try instance.database.write { try $0.execute("UPDATE checkin_timers SET grace = 259200") }
    instance.clock.advance(seconds: .days(1))
    let page = instance.tapPage(person)
    #expect(browser.get(page).shows("Your timer ran until"))
    browser.post(page)
    #expect(browser.cookie("toast") == "toast.checked_in_timer")
  }

  @Test("It keeps the timer’s notice and its push, which does not ask for a check-in")
  func notices() throws {
    let instance = try TestInstance()
    let (mei, _) = try running(instance)
    mei.subscribe()
    instance.clock.advance(seconds: .minutes(12))
    try CheckInScan(services: instance.checkIn).run(now: instance.clock.now())
    mei.tap()
    #expect(mei.notices().count == 1)
    #expect(mei.notices().first?.hasPrefix("Your timer is ending.") == true)
    let pushed = try instance.pushed()
    #expect(pushed.map(\.body) == ["Your timer is ending. Are you back?"])
    #expect(pushed.allSatisfy { $0.url == Self.page && $0.action == "" })
    mei.post(Self.page, ["button": "end"])
    #expect(mei.notices().isEmpty)
  }

  @Test("The end of a timer keeps the reminder to check in")
  func reminder() throws {
    let instance = try TestInstance()
    let (mei, person) = try running(instance)
    try instance.database.write {
      try instance.checkIn.observer.reminded(
        person, .reminder, now: instance.clock.now(), in: $0)
    }
    mei.post(Self.page, ["button": "end"])
    #expect(mei.notices() == ["You haven’t checked in today."])
    mei.tap()
    #expect(mei.notices().isEmpty)
  }

  @Test("The API names the timer, and none after it has ended")
  func api() throws {
    let instance = try TestInstance()
    let (mei, _) = try running(instance)
    let timer = try #require(mei.call(.post, "/checkin", "{}").json["timer"] as? [String: Any])
    #expect(timer["ends_at"] as? String == "2026-03-02T00:15:00.000Z")
    #expect(timer["alerted_at"] is NSNull)
    #expect(mei.call(.delete, Self.page).status == 204)
    #expect(mei.call(.post, "/checkin", "{}").json["timer"] is NSNull)
  }
}
