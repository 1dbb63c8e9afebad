import Core
import Foundation
import HTTPTypes
import Testing

@testable import App
@testable import CheckIn

@Suite("The page to tap on from a reminder")
struct CheckInLinkPageTests {
  private func checkIns(_ instance: TestInstance, of person: ID<Person>) throws -> Int {
    try instance.database.read {
      try $0.count("SELECT count(*) FROM check_ins WHERE user_id = \(person)")
    }
  }

  @Test("It shows a button, and only the button checks in")
  func tap() throws {
    let instance = try TestInstance()
    let person = try instance.watched()
    instance.clock.advance(seconds: 24 * 3600)
    let (browser, page) = (instance.browser(), instance.tapPage(person))
    let answer = browser.get(page)
    #expect(answer.status == 200 && answer.shows("Hello Mei"))
    #expect(answer.shows("data-testid=\"check-in-button\"") && !answer.shows("@example.test"))
    #expect(answer.headers[.cacheControl] == "no-store")
    #expect(try checkIns(instance, of: person) == 1)
    #expect(browser.post(page).location == "/checkin")
    #expect(browser.cookie("toast") == "toast.checked_in")
    #expect(try checkIns(instance, of: person) == 2)
    // The link signs in no one.
    #expect(browser.cookie("session") == nil)
  }

  @Test("After today's check-in it says so; a second one changes nothing")
  func again() throws {
    let instance = try TestInstance()
    let person = try instance.watched()
    let (browser, page) = (instance.browser(), instance.tapPage(person))
    let done = browser.get(page)
    #expect(done.status == 200 && done.shows("You’re checked in"))
    #expect(!done.shows("check-in-button") && done.shows("href=\"/checkin\""))
    let before = try instance.watchedState()
    instance.clock.advance(seconds: 60)
    #expect(browser.post(page).location == "/checkin")
    #expect(browser.cookie("toast") == "toast.checked_in_already")
    #expect(try instance.watchedState() == before)
  }

  @Test("Without the token of the page nothing is taken")
  func withoutToken() throws {
    let instance = try TestInstance()
    let person = try instance.watched()
    instance.clock.advance(seconds: 24 * 3600)
    #expect(instance.browser().plainPost(instance.tapPage(person), []).status == 403)
    #expect(try checkIns(instance, of: person) == 1)
  }

  @Test("A link whose time is over, or that we never made, leads to the page itself")
  func gone() throws {
    let instance = try TestInstance()
    let person = try instance.watched()
    let old = instance.tapPage(person)
    instance.clock.advance(seconds: 7 * 86_400)
    let contact = try instance.contactPage().replacing("/c/", with: "/tap/")
    for path in [old, "/tap/x", contact, String(instance.tapPage(person).dropLast()) + "-"] {
      let browser = instance.browser()
      let answer = browser.get(path)
      #expect(answer.status == 404 && answer.shows("href=\"/checkin\""), "\(path)")
      #expect(!answer.names("Mei"))
      #expect(browser.post(path).status == 404, "\(path)")
    }
    #expect(try checkIns(instance, of: person) == 1)
  }

  @Test("A longer time cannot be written into a link")
  func stretched() throws {
    let instance = try TestInstance()
    let person = try instance.watched()
    let token = instance.tapPage(person, days: 7)
    let longer = instance.tapPage(person, days: 70)
    // The time of one link with the signature of another.
    let mixed = String(longer.prefix(longer.count - 22)) + String(token.suffix(22))
    #expect(instance.browser().get(mixed).status == 404)
    #expect(instance.browser().get(longer).status == 200)
  }

  @Test("It checks in the recipient of the link, whichever user is signed in")
  func others() throws {
    let instance = try TestInstance()
    let person = try instance.watched()
    let jun = try instance.watched("jun", by: ["lin"])
    instance.clock.advance(seconds: 24 * 3600)
    let browser = try instance.signedIn("jun")
    browser.post(instance.tapPage(person))
    #expect(try checkIns(instance, of: person) == 2)
    #expect(try checkIns(instance, of: jun) == 1)
  }

  @Test("It ends a pause, and says so")
  func pause() throws {
    let instance = try TestInstance()
    let person = try instance.watched()
    instance.clock.advance(seconds: 24 * 3600)
    let today = LocalDay(instance.clock.now(), in: try instance.zone(of: person))
    try instance.database.write {
      try instance.checkIn.monitors.pause(person, from: today, until: today.adding(days: 5), in: $0)
    }
    let browser = instance.browser()
    browser.post(instance.tapPage(person))
    #expect(browser.cookie("toast") == "toast.checked_in_pause_over")
  }

  @Test("It ends an alert: the contacts get the all-clear")
  func allClear() throws {
    let instance = try TestInstance()
    let person = try instance.watched()
    try instance.goQuiet()
    instance.browser().post(instance.tapPage(person))
    #expect(
      try instance.mails(to: "ming@example.test").last?.subject
        == "[PairSpot] Mei has checked in again")
  }

  @Test("A deleted user cannot check in any more")
  func left() throws {
    let instance = try TestInstance()
    let person = try instance.watched()
    let page = instance.tapPage(person)
    instance.clock.advance(seconds: 24 * 3600)
    try instance.database.write {
      try $0.execute(
        "UPDATE users SET deleted_at = \(instance.clock.now()) WHERE id = \(person)")
    }
    #expect(instance.browser().get(page).status == 404)
    #expect(instance.browser().post(page).status == 404)
    #expect(try checkIns(instance, of: person) == 1)
  }

  @Test("It speaks the browser's language, else the person's")
  func language() throws {
    let instance = try TestInstance()
    let person = try instance.watched()
    try instance.database.write {
      try $0.execute("UPDATE users SET language = 'zh-Hant' WHERE id = \(person)")
    }
    let page = instance.tapPage(person)
    #expect(instance.browser().get(page).shows("<html lang=\"zh-Hant\""))
    #expect(
      instance.browser().get(page, headers: [.acceptLanguage: "en"]).shows("<html lang=\"en\""))
  }
}

extension TestInstance {
  func zone(of person: ID<Person>) throws -> TimeZone {
    checkIn.zone(of: try card(person))
  }
}
