import Core
import Database
import Foundation
import Mail
import Testing
import Web

@testable import App
@testable import CheckIn

@Suite("Timers")
struct TimerTests {
  private static let page = "/checkin/timer"

  private func pass(_ seconds: Int64, _ instance: TestInstance) throws {
    instance.clock.advance(seconds: seconds)
    try CheckInScan(services: instance.checkIn).run(now: instance.clock.now())
    try instance.work()
  }

  /// Mei, with two contacts and a timer of an hour.
  private func running(_ instance: TestInstance) throws -> TestClient {
    try instance.watched(by: ["ming", "lin"])
    try instance.work()
    let mei = try instance.signedIn("mei")
    mei.get(Self.page)
    let answer = mei.post(
      Self.page,
      ["button": "start", "minutes": "60", "grace": "15", "note": "Running along the river"])
    try #require(answer.status == 303, "\(answer.text)")
    return mei
  }

  private func last(_ instance: TestInstance, to name: String) throws -> SentMail {
    try #require(try instance.mails(to: "\(name)@example.test").last)
  }

  @Test("It warns twice, then alerts the contacts with the note")
  func runsOut() throws {
    let instance = try TestInstance()
    let mei = try running(instance)
    #expect(mei.get("/checkin").shows("Your timer runs until"))
    try pass(.minutes(47), instance)
    let before = try instance.mails(to: "mei@example.test").count
    try pass(.minutes(1), instance)
    #expect(try instance.mails(to: "mei@example.test").count == before + 1)
    #expect(try last(instance, to: "mei").subject.hasPrefix("[PairSpot] Your timer ends on"))
    try pass(.minutes(12), instance)
    #expect(
      try last(instance, to: "mei").subject == "[PairSpot] Your timer has ended. Are you back?")
    #expect(mei.get("/checkin").shows("Your timer ran until"))
    try pass(.minutes(14), instance)
    #expect(try instance.number("SELECT count(*) FROM alerts") == 0)
    try pass(.minutes(1), instance)
    for name in ["ming", "lin"] {
      let mail = try last(instance, to: name)
      #expect(mail.subject == "[PairSpot] Mei isn’t back in time")
      #expect(mail.text.contains("> Running along the river"))
      #expect(mail.text.contains("set a timer until"))
    }
    let page = instance.browser().get(try instance.contactPage("ming"))
    #expect(page.shows("hasn’t told us that they’re back") && page.shows("Running along the river"))
    #expect(mei.get("/checkin").shows("Your timer ran out, so we alerted your contacts"))
    #expect(try instance.mails(to: "mei@example.test").count == before + 2)
  }

  @Test("A timer that runs out during a silence stands beside it, for the user and the contacts")
  func duringSilence() throws {
    let instance = try TestInstance()
    try instance.watched()
    try instance.goQuiet()
    let mei = try instance.signedIn("mei")
    mei.post(Self.page, ["button": "start", "minutes": "15", "grace": "5"])
    try pass(.minutes(21), instance)
    let (ming, page) = (instance.browser(), try instance.contactPage())
    ming.get(page)
    ming.post(page, ["button": "opened"])
    let shown = ming.get(page)
    #expect(shown.shows("Mei has stopped checking in."))
    #expect(shown.shows("hasn’t told us that they’re back") && shown.shows("opened this page on"))
    let own = mei.get("/checkin")
    #expect(own.shows("You missed your check-ins, so we alerted your contact"))
    #expect(own.shows("Your timer ran out, so we alerted your contacts"))
    #expect(own.shows("<b>Ming</b> · saw the alert on") && !own.shows("opened this page"))
  }

  @Test("“I’m back” ends it, before the alert without a word to anyone")
  func ended() throws {
    let instance = try TestInstance()
    let mei = try running(instance)
    try pass(.minutes(70), instance)
    #expect(mei.post(Self.page, ["button": "end", "next": "/checkin"]).location == "/checkin")
    #expect(mei.cookie("toast") == "toast.timer_ended")
    try pass(.hours(5), instance)
    #expect(try instance.number("SELECT count(*) FROM alerts") == 0)
    #expect(try instance.number("SELECT count(*) FROM checkin_timers") == 0)
    mei.post(Self.page, ["button": "end"])
    #expect(mei.cookie("toast") == "toast.timer_over")
  }

  @Test("After the alert, “I’m back” or a check-in gives the all-clear", arguments: [true, false])
  func allClear(byTap: Bool) throws {
    let instance = try TestInstance()
    let mei = try running(instance)
    try pass(.minutes(80), instance)
    if byTap {
      instance.clock.advance(seconds: .days(1))
      try instance.tap(instance.person("Mei"))
    } else {
      instance.clock.advance(seconds: 60)
      mei.post(Self.page, ["button": "end"])
    }
    try instance.work()
    for name in ["ming", "lin"] {
      #expect(try last(instance, to: name).subject == "[PairSpot] Mei is safe")
    }
    #expect(try instance.number("SELECT count(*) FROM alerts WHERE ended_at IS NULL") == 0)
    #expect(try instance.number("SELECT count(*) FROM checkin_timers") == 0)
  }

  @Test("A check-in does not end a timer that runs")
  func tap() throws {
    let instance = try TestInstance()
    _ = try running(instance)
    instance.clock.advance(seconds: .minutes(30))
    try instance.tap(instance.person("Mei"))
    try pass(.minutes(46), instance)
    #expect(try instance.number("SELECT count(*) FROM alerts") == 1)
  }

  @Test(
    "A check-in leaves a warning that waits; the end of the timer and a call for help recall it",
    arguments: ["tap", "end", "help"])
  func waitingWarning(action: String) throws {
    let instance = try TestInstance()
    let mei = try running(instance)
    let before = try instance.mails(to: "mei@example.test").count
    instance.clock.advance(seconds: .minutes(48))
    try CheckInScan(services: instance.checkIn).run(now: instance.clock.now())
    switch action {
    case "tap": try instance.tap(instance.person("Mei"))
    case "end": mei.post(Self.page, ["button": "end"])
    default: mei.post("/checkin/help", ["note": ""])
    }
    let warnings = try instance.mails(to: "mei@example.test").count - before
    #expect(warnings == (action == "tap" ? 1 : 0))
  }

  @Test("It can be extended, also after its end, and warns again")
  func extended() throws {
    let instance = try TestInstance()
    let mei = try running(instance)
    try pass(.minutes(65), instance)
    mei.post(Self.page, ["button": "extend"])
    #expect(mei.cookie("toast") == "toast.timer_extended")
    try pass(.minutes(29), instance)
    #expect(try instance.number("SELECT count(*) FROM alerts") == 0)
    try pass(.minutes(16), instance)
    #expect(try instance.number("SELECT count(*) FROM alerts") == 1)
    mei.post(Self.page, ["button": "extend"])
    #expect(mei.cookie("toast") == "toast.timer_over")
  }

  @Test("The link in a warning ends it in any browser; opening it changes nothing")
  func link() throws {
    let instance = try TestInstance()
    _ = try running(instance)
    try pass(.minutes(48), instance)
    let path = try instance.link(to: "mei@example.test")
    #expect(path.hasPrefix("/timer/"))
    let browser = instance.browser()
    let mei = try instance.person("Mei")
    try instance.database.write {
      try $0.execute("UPDATE users SET time_zone = 'Pacific/Honolulu' WHERE id = \(mei)")
    }
    let shown = browser.get(path)
    #expect(shown.shows("I’m back"))
    let when = DateFormatting(
      now: instance.clock.now(), zone: TimeZone(identifier: "Pacific/Honolulu") ?? .gmt,
      language: .english, catalogues: instance.instance.site.catalogues)
    let end = try #require(
      try instance.database.read { try instance.checkIn.timers.find(of: mei, in: $0) }
    ).endsAt
    #expect(shown.shows("Your timer runs until \(when.momentOrTime(end))."))
    #expect(try instance.number("SELECT count(*) FROM checkin_timers") == 1)
    #expect(browser.post(path).location == path)
    #expect(browser.get(path).shows("This timer has ended."))
    #expect(try instance.number("SELECT count(*) FROM checkin_timers") == 0)
    #expect(browser.get("\(path)A").status == 404)
    instance.clock.advance(seconds: .days(8))
    #expect(browser.get(path).status == 404 && browser.post(path).status == 404)
  }

  @Test("The link of an older mail, which names no timer, ends the one that ran then")
  func olderMail() throws {
    let instance = try TestInstance()
    let mei = try running(instance)
    try pass(.minutes(48), instance)
    // Such links had the token of a page to tap on.
    let path = instance.tapPage(try instance.person("Mei")).replacing("/tap/", with: "/timer/")
    let browser = instance.browser()
    try pass(.minutes(30), instance)
    #expect(browser.get(path).shows("I’m back"))
    #expect(try instance.number("SELECT count(*) FROM alerts WHERE ended_at IS NULL") == 1)
    #expect(browser.post(path).location == path)
    #expect(try instance.number("SELECT count(*) FROM checkin_timers") == 0)
    #expect(try instance.number("SELECT count(*) FROM alerts WHERE ended_at IS NULL") == 0)
    mei.post(Self.page, ["button": "start", "minutes": "60", "grace": "15", "note": ""])
    #expect(browser.get(path).shows("This timer has ended."))
    #expect(browser.post(path).location == path)
    #expect(try instance.number("SELECT count(*) FROM checkin_timers") == 1)
    instance.clock.advance(seconds: .days(7))
    #expect(browser.get(path).status == 404 && browser.post(path).status == 404)
  }

  @Test("The link of an earlier timer ends no later one")
  func earlierLink() throws {
    let instance = try TestInstance()
    let mei = try running(instance)
    try pass(.minutes(48), instance)
    let earlier = try instance.link(to: "mei@example.test")
    mei.post(Self.page, ["button": "end"])
    mei.post(Self.page, ["button": "start", "minutes": "60", "grace": "15", "note": ""])
    let browser = instance.browser()
    #expect(browser.get(earlier).shows("This timer has ended."))
    #expect(browser.post(earlier).location == earlier)
    #expect(try instance.number("SELECT count(*) FROM checkin_timers") == 1)
    try pass(.minutes(48), instance)
    browser.post(try instance.link(to: "mei@example.test"))
    #expect(try instance.number("SELECT count(*) FROM checkin_timers") == 0)
  }

  @Test(
    "Wrong input is named, and the note stays",
    arguments: [
      ("0", "15", ""), ("61", "15", "x"), ("60", "0", "x"), ("", "", ""),
      ("60", "15", String(repeating: "n", count: 301)),
    ])
  func wrong(minutes: String, grace: String, note: String) throws {
    let instance = try TestInstance()
    try instance.watched(by: ["ming"])
    let mei = try instance.signedIn("mei")
    mei.get(Self.page)
    let answer = mei.post(
      Self.page, ["button": "start", "minutes": minutes, "grace": grace, "note": note])
    #expect(answer.status == 422 && answer.shows("\(note)</textarea>"))
    #expect(try instance.number("SELECT count(*) FROM checkin_timers") == 0)
    #expect(mei.post(Self.page, ["button": "other"]).status == 400)
  }

  @Test("Not without a contact, not twice, and fifty a day at most")
  func rejected() throws {
    let instance = try TestInstance(limits: true)
    try instance.alone("jun")
    let jun = try instance.signedIn("jun")
    jun.get(Self.page)
    let start: KeyValuePairs = ["button": "start", "minutes": "15", "grace": "5", "note": ""]
    #expect(jun.post(Self.page, start).status == 422)
    let mei = try running(instance)
    mei.post(Self.page, start)
    #expect(mei.cookie("toast") == "toast.timer_running")
    for _ in 0..<49 {
      mei.post(Self.page, ["button": "end"])
      #expect(mei.post(Self.page, start).status == 303)
    }
    mei.post(Self.page, ["button": "end"])
    #expect(mei.post(Self.page, start).status == 429)
  }

  @Test("While handlers were down the user could not end it, so the alert waits")
  func outage() throws {
    let instance = try TestInstance()
    _ = try running(instance)
    try instance.beat()
    instance.clock.advance(seconds: .hours(6))
    try CheckInScan(services: instance.checkIn).run(now: instance.clock.now())
    #expect(try instance.number("SELECT count(*) FROM alerts") == 0)
    try instance.beat()
    try CheckInScan(services: instance.checkIn).run(now: instance.clock.now())
    #expect(try instance.number("SELECT count(*) FROM alerts") == 0)
    for _ in 0..<7 {
      instance.clock.advance(seconds: .hours(1))
      try instance.beat()
    }
    try CheckInScan(services: instance.checkIn).run(now: instance.clock.now())
    #expect(try instance.number("SELECT count(*) FROM alerts") == 1)
  }

  @Test("Missed check-ins have an alert of their own while a timer's is open")
  func both() throws {
    let instance = try TestInstance()
    _ = try running(instance)
    try pass(.hours(2), instance)
    try pass(.hours(84), instance)
    #expect(try instance.number("SELECT count(*) FROM alerts WHERE timer_id IS NULL") == 1)
    try instance.tap(instance.person("Mei"))
    #expect(try instance.number("SELECT count(*) FROM alerts WHERE ended_at IS NULL") == 0)
    let clears = try instance.mails(to: "ming@example.test").count {
      $0.subject == "[PairSpot] Mei is safe"
    }
    #expect(clears == 1)
  }

  @Test("Two open alerts are repeated once a day each")
  func rounds() throws {
    let instance = try TestInstance()
    _ = try running(instance)
    try pass(.hours(2), instance)
    try pass(.hours(84), instance)
    let before = try instance.number("SELECT count(*) FROM contact_mails WHERE kind = 'alert'")
    try pass(.hours(24), instance)
    let after = try instance.number("SELECT count(*) FROM contact_mails WHERE kind = 'alert'")
    #expect(after == before + 4)
  }

  @Test("An alert of a timer that was recalled by a restore goes out again")
  func restored() throws {
    let instance = try TestInstance()
    _ = try running(instance)
    instance.clock.advance(seconds: .minutes(76))
    try CheckInScan(services: instance.checkIn).run(now: instance.clock.now())
    let now = instance.clock.now()
    let recalled = try instance.database.write {
      let recalled = try AlertStore().reopenUnnotified(now: now, in: $0).mails
      try MailQueue.cancel(recalled, in: $0)
      try TimerStore.restart(now: now, in: $0)
      return recalled
    }
    #expect(recalled.count == 2)
    try pass(.minutes(1), instance)
    #expect(try last(instance, to: "ming").subject == "[PairSpot] Mei isn’t back in time")
  }

  @Test("A deleted account has no timer")
  func deleted() throws {
    let instance = try TestInstance()
    _ = try running(instance)
    let mei = try instance.person("Mei")
    try instance.database.write {
      try $0.execute("UPDATE users SET deleted_at = \(instance.clock.now()) WHERE id = \(mei)")
    }
    try pass(.hours(2), instance)
    #expect(try instance.number("SELECT count(*) FROM alerts") == 0)
    #expect(try instance.number("SELECT count(*) FROM checkin_timers") == 0)
  }

  // MARK: The last place

  /// Mei with a timer of an hour, who shares her place with a group.
  private func sharing(
    _ instance: TestInstance, _ fields: [(String, String)]
  ) throws -> TestClient {
    try instance.watched(by: ["ming"])
    try instance.work()
    let mei = try instance.signedIn("mei")
    let group = try mei.makeGroup()
    try #require(mei.share(24.9936, 121.301, with: group).status == 204)
    mei.get(Self.page)
    let answer = mei.post(
      Self.page, all: [("button", "start"), ("minutes", "60"), ("grace", "15")] + fields)
    try #require(answer.status == 303)
    return mei
  }

  @Test("The alert has the last place shared with a group, if the user chose that")
  func place() throws {
    let instance = try TestInstance()
    _ = try sharing(instance, [("share_place", "1")])
    try pass(.minutes(75), instance)
    let link = "https://www.openstreetmap.org/?mlat=24.9936&mlon=121.301#map=16/24.9936/121.301"
    let mail = try last(instance, to: "ming")
    #expect(
      mail.text.contains("The last place that Mei shared with a group") && mail.text.contains(link))
    let page = instance.browser().get(try instance.contactPage())
    #expect(page.shows("Show on a map") && page.shows("24.9936"))
  }

  @Test("It has no place without that choice, and none once sharing has ended")
  func noPlace() throws {
    let unchosen = try TestInstance()
    _ = try sharing(unchosen, [])
    try pass(.minutes(75), unchosen)
    #expect(!(try last(unchosen, to: "ming").text.contains("openstreetmap")))
    let ended = try TestInstance()
    let mei = try sharing(ended, [("share_place", "1")])
    try ended.database.write { try $0.execute("UPDATE group_members SET sharing_until = NULL") }
    _ = mei
    try pass(.minutes(75), ended)
    let mail = try last(ended, to: "ming")
    #expect(mail.subject.contains("isn’t back in time") && !mail.text.contains("openstreetmap"))
    #expect(!ended.browser().get(try ended.contactPage()).shows("Show on a map"))
  }

  // MARK: The API

  @Test("The API starts, shows, extends and ends a timer")
  func api() throws {
    let instance = try TestInstance()
    try instance.watched(by: ["ming"])
    let mei = try instance.signedIn("mei")
    let path = "/checkin/timer"
    #expect(mei.call(.get, path).json["timer"] is NSNull)
    #expect(
      mei.call(.delete, path).status == 404 && mei.call(.post, "\(path)/extend").status == 404)
    #expect(mei.call(.post, path, #"{"minutes":61}"#).status == 422)
    #expect(mei.call(.post, path, #"{"minutes":60,"grace_minutes":7}"#).status == 422)
    let started = mei.call(
      .post, path, #"{"minutes":60,"grace_minutes":30,"note":"Run","share_place":true}"#)
    #expect(started.status == 201 && started.json["note"] as? String == "Run")
    #expect(started.json["share_place"] as? Bool == true)
    #expect(mei.call(.post, path, #"{"minutes":60}"#).status == 409)
    let extended = mei.call(.post, "\(path)/extend")
    #expect(extended.status == 200)
    #expect(extended.json["ends_at"] as? String == "2026-03-02T01:30:00.000Z")
    #expect(mei.call(.delete, path).status == 204)
    #expect(mei.call(.get, path).json["timer"] is NSNull)
    #expect(instance.browser().call(.get, path).status == 401)
  }

  @Test("Without a contact the API refuses a timer")
  func apiNoContact() throws {
    let instance = try TestInstance()
    let sam = try instance.checkedInMember()
    try instance.database.write {
      try $0.execute("UPDATE emergency_contacts SET state = 'refused'")
    }
    #expect(sam.call(.post, "/checkin/timer", #"{"minutes":60}"#).status == 422)
  }

  @Test("An alert that no contact can receive is recorded once")
  func noContact() throws {
    let instance = try TestInstance()
    let mei = try running(instance)
    try instance.database.write {
      try $0.execute("UPDATE emergency_contacts SET state = 'refused'")
    }
    for _ in 0..<3 { try pass(.minutes(75), instance) }
    #expect(
      try instance.number("SELECT count(*) FROM checkin_record WHERE detail = 'no-contact'") == 1)
    #expect(mei.get("/checkin/record").shows("none of your contacts can be reached"))
  }
}
