import Basics
import Foundation
import HTTPTypes
import Testing

@testable import App
@testable import CheckIn

@Suite("The page to tap on from a reminder")
struct TapPageTests {
  private func checkIns(_ house: TestHouse, of person: ID<Person>) throws -> Int {
    try house.database.read {
      try $0.count("SELECT count(*) FROM check_ins WHERE user_id = ?", person)
    }
  }

  @Test("It shows a button, and only the button checks in")
  func tap() throws {
    let house = try TestHouse()
    let person = try house.watched()
    house.clock.advance(seconds: 24 * 3600)
    let (browser, page) = (house.browser(), house.tapPage(person))
    let answer = browser.get(page)
    #expect(answer.status == 200 && answer.shows("Hello Mei"))
    #expect(answer.shows("data-testid=\"check-in-button\"") && !answer.shows("@example.test"))
    #expect(answer.headers[.cacheControl] == "no-store")
    #expect(try checkIns(house, of: person) == 1)
    #expect(browser.post(page).location == "/checkin")
    #expect(browser.cookie("toast") == "toast.checked_in")
    #expect(try checkIns(house, of: person) == 2)
    // Nobody was signed in by it.
    #expect(browser.cookie("session") == nil)
  }

  @Test("Who has checked in today is told so; a second tap changes nothing")
  func again() throws {
    let house = try TestHouse()
    let person = try house.watched()
    let (browser, page) = (house.browser(), house.tapPage(person))
    let done = browser.get(page)
    #expect(done.status == 200 && done.shows("You’re checked in"))
    #expect(!done.shows("check-in-button") && done.shows("href=\"/checkin\""))
    let before = try house.watchedState()
    house.clock.advance(seconds: 60)
    #expect(browser.post(page).location == "/checkin")
    #expect(browser.cookie("toast") == "toast.checked_in_already")
    #expect(try house.watchedState() == before)
  }

  @Test("Without the token of the page nothing is taken")
  func withoutToken() throws {
    let house = try TestHouse()
    let person = try house.watched()
    house.clock.advance(seconds: 24 * 3600)
    #expect(house.browser().plainPost(house.tapPage(person), []).status == 403)
    #expect(try checkIns(house, of: person) == 1)
  }

  @Test("A link whose time is over, or that we never made, leads to the page itself")
  func gone() throws {
    let house = try TestHouse()
    let person = try house.watched()
    let old = house.tapPage(person)
    house.clock.advance(seconds: 7 * 86_400)
    let contact = try house.contactPage().replacing("/c/", with: "/tap/")
    for path in [old, "/tap/x", contact, String(house.tapPage(person).dropLast()) + "-"] {
      let browser = house.browser()
      let answer = browser.get(path)
      #expect(answer.status == 404 && answer.shows("href=\"/checkin\""), "\(path)")
      #expect(!answer.names("Mei"))
      #expect(browser.post(path).status == 404, "\(path)")
    }
    #expect(try checkIns(house, of: person) == 1)
  }

  @Test("A longer time cannot be written into a link")
  func stretched() throws {
    let house = try TestHouse()
    let person = try house.watched()
    let token = house.tapPage(person, days: 7)
    let longer = house.tapPage(person, days: 70)
    // The moment of one with the seal of the other.
    let mixed = String(longer.prefix(longer.count - 22)) + String(token.suffix(22))
    #expect(house.browser().get(mixed).status == 404)
    #expect(house.browser().get(longer).status == 200)
  }

  @Test("It checks in whom it was sent to, whoever is signed in there")
  func others() throws {
    let house = try TestHouse()
    let person = try house.watched()
    let jun = try house.watched("jun", by: ["lin"])
    house.clock.advance(seconds: 24 * 3600)
    let browser = try house.signedIn("jun")
    browser.post(house.tapPage(person))
    #expect(try checkIns(house, of: person) == 2)
    #expect(try checkIns(house, of: jun) == 1)
  }

  @Test("It ends a pause, and says so")
  func pause() throws {
    let house = try TestHouse()
    let person = try house.watched()
    house.clock.advance(seconds: 24 * 3600)
    let today = LocalDay(house.clock.now(), in: try house.zone(of: person))
    try house.database.write {
      try house.checkIn.watches.pause(person, from: today, until: today.adding(days: 5), in: $0)
    }
    let browser = house.browser()
    browser.post(house.tapPage(person))
    #expect(browser.cookie("toast") == "toast.checked_in_pause_over")
  }

  @Test("It ends an alert: the contacts get the all-clear")
  func allClear() throws {
    let house = try TestHouse()
    let person = try house.watched()
    try house.goQuiet()
    house.browser().post(house.tapPage(person))
    #expect(
      try house.mails(to: "ming@example.test").last?.subject
        == "[PairSpot] Mei has checked in again")
  }

  @Test("Who left cannot tap any more")
  func left() throws {
    let house = try TestHouse()
    let person = try house.watched()
    let page = house.tapPage(person)
    house.clock.advance(seconds: 24 * 3600)
    try house.database.write {
      try $0.execute("UPDATE users SET deleted_at = ? WHERE id = ?", house.clock.now(), person)
    }
    #expect(house.browser().get(page).status == 404)
    #expect(house.browser().post(page).status == 404)
    #expect(try checkIns(house, of: person) == 1)
  }

  @Test("It speaks the browser's language, else the person's")
  func language() throws {
    let house = try TestHouse()
    let person = try house.watched()
    try house.database.write {
      try $0.execute("UPDATE users SET language = 'zh-Hant' WHERE id = ?", person)
    }
    let page = house.tapPage(person)
    #expect(house.browser().get(page).shows("<html lang=\"zh-Hant\""))
    #expect(
      house.browser().get(page, headers: [.acceptLanguage: "en"]).shows("<html lang=\"en\""))
  }
}

extension TestHouse {
  func zone(of person: ID<Person>) throws -> TimeZone {
    checkIn.zone(of: try card(person))
  }
}
