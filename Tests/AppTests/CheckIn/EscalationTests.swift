import Core
import Database
import Foundation
import Jobs
import Mail
import Testing

@testable import App
@testable import CheckIn

@Suite("The escalation of an alert")
struct EscalationTests {
  private func alerts(_ instance: TestInstance, to contact: String) throws -> Int {
    try instance.mails(to: "\(contact)@example.test").count {
      $0.subject.contains("check-in") && $0.subject.contains("Mei")
    }
  }

  private func pass(_ seconds: Int64, _ instance: TestInstance) throws {
    instance.clock.advance(seconds: seconds)
    try CheckInScan(services: instance.checkIn).run(now: instance.clock.now())
    try instance.work()
  }

  private func inTurn(_ minutes: Int, _ person: ID<Person>, _ instance: TestInstance) throws {
    try instance.database.write {
      var settings = try #require(try instance.checkIn.monitors.settings(of: person, in: $0))
      settings.contactPause = minutes
      try instance.checkIn.monitors.save(settings, of: person, in: $0)
    }
  }

  @Test("All contacts are mailed at once, and daily while no one answers, for a week")
  func daily() throws {
    let instance = try TestInstance()
    try instance.watched(by: ["ming", "lin"])
    try instance.goQuiet()
    #expect(try alerts(instance, to: "ming") == 1)
    try pass(.hours(20), instance)
    #expect(try alerts(instance, to: "ming") == 1)
    try pass(.hours(4), instance)
    #expect(try alerts(instance, to: "ming") == 2)
    #expect(try alerts(instance, to: "lin") == 2)
    let mail = try #require(try instance.mails(to: "lin@example.test").last)
    #expect(mail.subject == "[PairSpot] Still no check-in from Mei")
    #expect(mail.text.contains("We’ve written to you about this before."))
    for _ in 0..<12 { try pass(.days(1), instance) }
    let count = try instance.number("SELECT count(*) FROM contact_mails WHERE kind = 'alert'")
    #expect(count == 2 * Escalation.maximumRounds)
  }

  @Test("While a mail still waits to be sent it is not written again")
  func waiting() throws {
    let instance = try TestInstance()
    try instance.watched(by: ["ming"])
    try instance.work()
    instance.clock.advance(seconds: 84 * 3600)
    let scan = CheckInScan(services: instance.checkIn)
    for _ in 0..<3 {
      try scan.run(now: instance.clock.now())
      instance.clock.advance(seconds: .days(1))
    }
    #expect(try instance.number("SELECT count(*) FROM contact_mails WHERE kind = 'alert'") == 1)
    try instance.work()
    try pass(.days(1), instance)
    #expect(try instance.number("SELECT count(*) FROM contact_mails WHERE kind = 'alert'") == 2)
  }

  @Test("In turn, the second contact is mailed when the first has not answered in time")
  func inTurn() throws {
    let instance = try TestInstance()
    let person = try instance.watched(by: ["ming", "lin"])
    try inTurn(30, person, instance)
    try instance.goQuiet()
    #expect(try alerts(instance, to: "ming") == 1)
    #expect(try alerts(instance, to: "lin") == 0)
    // A contact who was not notified learns of no alert.
    let page = try instance.contactPage("lin")
    #expect(instance.browser().get(page).shows("There’s no alert about Mei."))
    try pass(.minutes(28), instance)
    #expect(try alerts(instance, to: "lin") == 0)
    try pass(.minutes(1), instance)
    #expect(try alerts(instance, to: "lin") == 1)
    #expect(instance.browser().get(page).shows("Mei has stopped checking in."))
  }

  @Test("“I’m looking for them” stops it for two hours, for all to see")
  func looking() throws {
    let instance = try TestInstance()
    let person = try instance.watched(by: ["ming", "lin", "wei"])
    try inTurn(15, person, instance)
    try instance.goQuiet()
    try pass(.minutes(15), instance)
    let (ming, page) = (instance.browser(), try instance.contactPage("ming"))
    #expect(ming.get(page).shows("value=\"looking\""))
    #expect(ming.post(page, ["button": "looking"]).location == page)
    #expect(ming.cookie("toast") == "toast.looking")
    let own = ming.get(page)
    #expect(own.shows("You’re looking for Mei") && !own.shows("value=\"looking\""))
    #expect(own.shows("value=\"reached\""))
    let other = instance.browser().get(try instance.contactPage("lin"))
    #expect(other.shows("<b>Ming</b> · looking since") && other.shows("<b>You</b> · emailed on"))
    #expect(try instance.signedIn("mei").get("/checkin").shows("<b>Ming</b> · looking since"))
    try pass(.minutes(100), instance)
    #expect(try alerts(instance, to: "wei") == 0)
    try pass(.minutes(20), instance)
    #expect(try alerts(instance, to: "wei") == 1)
    #expect(ming.get(page).shows("value=\"looking\""))
  }

  @Test("A user whose alert cannot go on, or who cannot be evaluated, keeps no other waiting")
  func failing() throws {
    let instance = try TestInstance()
    let mei = try instance.watched(by: ["ming"])
    let wei = try instance.watched("wei", by: ["lin"])
    let jun = try instance.watched("jun", by: ["kai", "bo"])
    try inTurn(30, jun, instance)
    try instance.goQuiet()
    // Nothing can be added to the logs of two of them. One has an alert to be repeated, the other
    // one a new alert.
    try instance.migrate(
      """
      CREATE TRIGGER broken BEFORE INSERT ON checkin_record WHEN NEW.user_id NOT IN
        (SELECT user_id FROM checkin_settings WHERE contact_pause IS NOT NULL)
      BEGIN SELECT RAISE(ABORT, 'broken'); END
      """)
    try instance.database.write {
      try $0.execute("UPDATE checkin_settings SET next_at = 0 WHERE user_id = \(wei)")
      try $0.execute("UPDATE alerts SET ended_at = 1, next_at = NULL WHERE user_id = \(wei)")
      try $0.execute("UPDATE alerts SET next_at = 0 WHERE user_id = \(mei)")
    }
    instance.clock.advance(seconds: .hours(25))
    #expect(throws: (any Error).self) {
      try CheckInScan(services: instance.checkIn).run(now: instance.clock.now())
    }
    let told = try instance.number(
      "SELECT count(*) FROM contact_mails WHERE kind = 'alert' AND user_id = \(jun)")
    #expect(told == 2)
    // The two are retried later, so the next scan is a good one.
    instance.clock.advance(seconds: 60)
    #expect(try CheckInScan(services: instance.checkIn).run(now: instance.clock.now()))
  }

  @Test("Who has reached the user ends it")
  func reached() throws {
    let instance = try TestInstance()
    let person = try instance.watched(by: ["ming", "lin"])
    try inTurn(15, person, instance)
    try instance.goQuiet()
    let (ming, page) = (instance.browser(), try instance.contactPage("ming"))
    ming.get(page)
    ming.post(page, ["button": "reached"])
    for _ in 0..<3 { try pass(.days(1), instance) }
    #expect(try alerts(instance, to: "lin") == 0)
    #expect(try alerts(instance, to: "ming") == 1)
    ming.post(page, ["button": "looking"])
    #expect(ming.cookie("toast") == "toast.reached_already")
  }

  @Test("A check-in ends it, and only those who were notified get the all-clear")
  func ended() throws {
    let instance = try TestInstance()
    let person = try instance.watched(by: ["ming", "lin"])
    try inTurn(60, person, instance)
    try instance.goQuiet()
    try instance.tap(person)
    try pass(.days(1), instance)
    #expect(try alerts(instance, to: "lin") == 0)
    let subjects = try instance.mails(to: "ming@example.test").map(\.subject)
    #expect(subjects.last == "[PairSpot] Mei has checked in again")
    #expect(try instance.number("SELECT count(*) FROM alerts WHERE next_at IS NOT NULL") == 0)
  }

  @Test("A contact whose mail bounces gives the turn to the next one at once")
  func bounced() throws {
    let instance = try TestInstance()
    let person = try instance.watched(by: ["ming", "lin"])
    try inTurn(720, person, instance)
    try instance.goQuiet()
    let id = try #require(
      try instance.database.read {
        try $0.value(
          "SELECT mail_id FROM contact_mails WHERE kind = 'alert'", as: ID<QueuedMail>.self)
      })
    try instance.database.write {
      try CheckInDeliveryObserver(services: instance.checkIn).attempted(
        id, .bounced("no such mailbox"), now: instance.clock.now(), in: $0)
    }
    try instance.work()
    #expect(try alerts(instance, to: "lin") == 1)
    let shown = instance.browser().get(try instance.contactPage("lin"))
    #expect(shown.shows("<b>You</b> · emailed on"))
  }

  @Test("A contact without an alert cannot stop that of others, nor can an unknown button")
  func notTold() throws {
    let instance = try TestInstance()
    let person = try instance.watched(by: ["ming", "lin"])
    try inTurn(60, person, instance)
    try instance.goQuiet()
    let (browser, page) = (instance.browser(), try instance.contactPage("lin"))
    browser.get(page)
    browser.post(page, ["button": "looking"])
    #expect(browser.cookie("toast") == "toast.reached_over")
    #expect(browser.post(page, ["button": "opened"]).status == 204)
    #expect(try instance.number("SELECT count(*) FROM alert_responses") == 0)
    #expect(
      try instance.number("SELECT count(*) FROM alerts WHERE looking_until IS NOT NULL") == 0)
  }

  @Test("The page reports when it was looked at; the first time is kept")
  func opened() throws {
    let instance = try TestInstance()
    try instance.watched(by: ["ming", "lin"])
    try instance.goQuiet()
    let (browser, page) = (instance.browser(), try instance.contactPage("ming"))
    browser.get(page)
    #expect(browser.post(page, ["button": "opened"]).status == 204)
    instance.clock.advance(seconds: 3600)
    browser.post(page, ["button": "opened"])
    let answers = try instance.database.read {
      try $0.values("SELECT opened_at FROM alert_responses", as: Instant.self)
    }
    #expect(answers == [instance.clock.now().adding(seconds: -3600)])
    let other = instance.browser().get(try instance.contactPage("lin"))
    #expect(other.shows("<b>Ming</b> · opened this page on"))
  }

  @Test("After a clock that ran ahead was set back, the next contact is mailed at once")
  func clockSetBack() throws {
    let instance = try TestInstance()
    let person = try instance.watched(by: ["ming", "lin"])
    try inTurn(60, person, instance)
    try instance.goQuiet()
    try instance.database.write {
      try $0.execute("UPDATE alerts SET next_at = next_at + 86400000")
      try JobStore.beat(
        CheckInScan.beginning, now: instance.clock.now().adding(seconds: .days(1)), in: $0)
    }
    try pass(.hours(1), instance)
    #expect(try alerts(instance, to: "lin") == 1)
  }

  @Test("The setting is offered and checked, in pages and in the API")
  func settings() throws {
    let instance = try TestInstance()
    let browser = try instance.checkedInMember()
    let page = browser.get("/checkin/settings")
    #expect(page.shows("<option value=\"\" selected>All at once"))
    #expect(page.shows("In turn, every 15 minutes") && page.shows("In turn, every hour"))
    var form = KeptSettings.form
    form["contact_pause"] = "60"
    #expect(browser.post("/checkin/settings", all: form.map { ($0, $1) }).status == 303)
    #expect(try instance.settings(of: instance.person("Sam"))?.contactPause == 60)
    #expect(browser.get("/checkin/settings").shows("<option value=\"60\" selected>"))
    form["contact_pause"] = "61"
    let wrong = browser.post("/checkin/settings", all: form.map { ($0, $1) })
    #expect(wrong.status == 422)
    #expect(try instance.settings(of: instance.person("Sam"))?.contactPause == 60)
  }

  private enum KeptSettings {
    static let form = [
      "threshold_days": "2", "alert_time": "09:00", "reminder_time": "", "paused_until": "",
      "contact_language": "en", "note": "",
    ]
  }
}
