import Core
import Database
import Foundation
import HTTPTypes
import Jobs
import Mail
import Synchronization
import Testing
import Web

@testable import App
@testable import CheckIn

/// Steps shared by the tests of check-ins.
extension TestClient {
  /// Saves name and contact, and checks in, like the form of `/checkin`.
  @discardableResult
  func begin(
    _ name: String, contact: String, _ button: String = "check-in", zone: String = "Asia/Taipei"
  ) -> TestResponse {
    post(
      "/checkin",
      [
        "display_name": name, "contact_email": contact, "time_zone": zone, "button": button,
      ])
  }

  @discardableResult
  func tap(_ more: [(String, String)] = []) -> TestResponse {
    post("/checkin", all: [("button", "check-in")] + more)
  }
}

extension TestInstance {
  /// Moves the clock to a local time and runs the worker, as if handlers and worker had run all the
  /// time.
  func goTo(_ day: String, _ time: String, in zone: String = "Asia/Taipei") throws {
    let parts = time.split(separator: ":").compactMap { Int($0) }
    let day = try #require(LocalDay(day))
    let zone = try #require(TimeZone(identifier: zone))
    clock.set(day.instant(minute: parts[0] * 60 + parts[1], in: zone))
    try database.write {
      try $0.execute("DELETE FROM heartbeats WHERE name = 'handlers'")
    }
    try instance.features.checkIn.beat(now: clock.now())
    try work()
  }

  /// Number of alert mails sent. (Mail files are deleted after 7 days, so this can't count over
  /// longer times.)
  func queuedAlerts() throws -> Int {
    try work()
    return try count(
      "SELECT count(*) FROM contact_mails WHERE kind = 'alert' AND state = 'sent'")
  }

  func subjects(to address: String) throws -> [String] {
    try mails(to: address).map(\.subject)
  }
}

// The instance's clock starts at 2026-03-02, 08:00 in Taipei.
@Suite("Checking in")
struct CheckInPageTests {
  @Test("A guest needs a name and an address, and nothing else")
  func guest() throws {
    let instance = try TestInstance()
    let gia = instance.browser()
    let empty = gia.get("/checkin")
    #expect(empty.status == 200 && empty.shows("data-state=\"missing\""))
    let done = gia.begin("Gia", contact: "kai@example.test")
    #expect(done.location == "/checkin" && gia.isSignedIn)
    let page = gia.get("/checkin")
    #expect(page.shows("data-state=\"done\"") && page.shows("Checked in"))
    #expect(page.shows("See you tomorrow, Gia") && page.shows("at 08:00"))
    #expect(try instance.count("SELECT count(*) FROM check_ins") == 1)
  }

  @Test("Errors are beside their fields, with the typed values, and create no guest")
  func wrong() throws {
    let instance = try TestInstance()
    let browser = instance.browser()
    for (name, email) in [
      ("", "kai@example.test"), ("Gia", "kai"), ("Gia", ""),
      (String(repeating: "x", count: 51), "kai@example.test"),
    ] {
      let answer = browser.begin(name, contact: email)
      #expect(answer.status == 422 && answer.shows("aria-invalid=\"true\""))
      #expect(answer.shows("value=\"\(email)\""))
    }
    #expect(!browser.isSignedIn)
    #expect(try instance.count("SELECT count(*) FROM users") == 0)
    #expect(
      browser.begin(String(repeating: "x", count: 50), contact: "k@example.test").status == 303)
  }

  @Test("A double tap is one check-in, and keeps the first")
  func doubleTap() throws {
    let instance = try TestInstance()
    let gia = instance.browser()
    gia.begin("Gia", contact: "kai@example.test")
    instance.clock.advance(seconds: 3600)
    #expect(gia.tap().location == "/checkin")
    #expect(gia.get("/checkin").shows("at 08:00"))
    #expect(try instance.count("SELECT count(*) FROM check_ins") == 1)
  }

  @Test("A check-in never changes, and goes with its account only")
  func forGood() throws {
    let instance = try TestInstance()
    instance.browser().begin("Gia", contact: "kai@example.test")
    for statement in ["UPDATE check_ins SET day = 1", "DELETE FROM check_ins"] as [Query] {
      #expect(throws: (any Error).self) {
        try instance.database.write { try $0.execute(statement) }
      }
    }
  }

  @Test("A day other than today is refused; an offline tap counts for its own day")
  func offline() throws {
    let instance = try TestInstance()
    let gia = instance.browser()
    gia.begin("Gia", contact: "kai@example.test", "save")
    #expect(gia.tap([("date", "2026-03-01")]).status == 422)
    #expect(gia.tap([("tapped_at", "2026-02-27T23:59:59.000Z")]).status == 303)
    #expect(gia.tap([("tapped_at", "2026-02-26T23:59:59.000Z")]).status == 422)
    #expect(gia.tap([("tapped_at", "2026-03-02T00:11:00.000Z")]).status == 422)
    #expect(gia.tap([("tapped_at", "yesterday")]).status == 422)
    let days = try instance.database.read {
      try $0.rows("SELECT day, is_offline FROM check_ins") {
        "\(try $0.next(LocalDay.self)) \(try $0.next(Int.self))"
      }
    }
    #expect(days == ["2026-02-28 1"])
  }

  @Test("The account follows the browser's zone only when the person says so")
  func zones() throws {
    let instance = try TestInstance()
    let gia = instance.browser()
    gia.begin("Gia", contact: "kai@example.test")
    gia.setPlain(cookie: "tz", "America%2FLos_Angeles")
    let page = gia.get("/checkin")
    #expect(page.shows("You seem to be in Los Angeles"))
    gia.tap([("time_zone", "America/Los_Angeles")])
    #expect(gia.get("/checkin").shows("data-zone=\"Asia/Taipei\""))
    gia.post("/settings/zone", ["button": "move", "time_zone": "America/Los_Angeles"])
    // It is still the first of March there.
    #expect(gia.get("/checkin").shows("data-day=\"2026-03-01\""))
    #expect(!gia.get("/checkin").shows("You seem to be in"))
    #expect(gia.tap().status == 303)
    #expect(try instance.count("SELECT count(*) FROM check_ins") == 2)
  }

  @Test("One's own address is no contact, and neither is one that is there already")
  func ownAddress() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    #expect(sam.begin("Sam", contact: "Sam@example.test").status == 422)
    #expect(sam.begin("Sam", contact: "kai@example.test").status == 303)
    #expect(try instance.count("SELECT count(*) FROM emergency_contacts") == 1)
  }

  @Test("A partner is offered as first contact, without their address being shown")
  func partner() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let page = ann.get("/checkin")
    #expect(page.shows("Alert Ben if you stop checking in?") && !page.shows("ben@example.test"))
    #expect(page.shows("Make Ben my contact"))
    #expect(ann.post("/checkin", ["button": "partner"]).status == 303)
    #expect(ann.cookie("toast") == "toast.contact_added")
    #expect(try instance.subjects(to: "ben@example.test").count == 1)
    #expect(ann.get("/checkin").shows("data-state=\"ready\""))
  }

  @Test("Five guests an hour from one address; the sixth keeps the input")
  func tooMany() throws {
    let instance = try TestInstance(limits: true)
    for number in 0..<5 {
      #expect(instance.browser().begin("G\(number)", contact: "k@example.test").status == 303)
    }
    let answer = instance.browser().begin("Six", contact: "kai@example.test")
    #expect(answer.status == 429 && answer.headers[.retryAfter] != nil)
    #expect(answer.shows("value=\"Six\"") && answer.shows("value=\"kai@example.test\""))
  }

  @Test("Each state in each language")
  func languages() throws {
    let instance = try TestInstance()
    for language in ["en", "zh-Hant", "zh-Hans"] {
      let gia = instance.browser()
      let headers: HTTPFields = [.acceptLanguage: language]
      #expect(gia.get("/checkin", headers: headers).shows("lang=\"\(language)\""))
      gia.post(
        "/checkin",
        all: [
          ("display_name", "Gia"), ("contact_email", "\(language)@example.test"),
          ("button", "check-in"),
        ], headers: headers)
      let done = gia.get("/checkin")
      let words = done.text.replacing("checkin.css", with: "").replacing("checkin.js", with: "")
      #expect(done.shows("lang=\"\(language)\"") && !words.contains("checkin."))
    }
  }
}

@Suite("When a user stops checking in")
struct SilenceTests {
  private func quiet() throws -> (TestInstance, TestClient) {
    let instance = try TestInstance()
    let gia = instance.browser()
    gia.begin("Gia", contact: "kai@example.test")
    try instance.work()
    return (instance, gia)
  }

  @Test("The contact is introduced at once, and alerted on the third day at nine, and daily")
  func alert() throws {
    let (instance, _) = try quiet()
    #expect(try instance.subjects(to: "kai@example.test").count == 1)
    try instance.goTo("2026-03-05", "08:45")
    #expect(try instance.subjects(to: "kai@example.test").count == 1)
    try instance.goTo("2026-03-05", "09:05")
    #expect(
      try instance.subjects(to: "kai@example.test").last == "[PairSpot] About Gia's check-in"
        || instance.subjects(to: "kai@example.test").last == "[PairSpot] About Gia’s check-in")
    let text = try #require(try instance.mails(to: "kai@example.test").last).text
    #expect(text.contains("2 days") || text.contains("two days"))
    try instance.goTo("2026-03-06", "08:55")
    #expect(try instance.queuedAlerts() == 1)
    try instance.goTo("2026-03-06", "09:10")
    try instance.goTo("2026-03-09", "09:15")
    #expect(try instance.queuedAlerts() == 3)
    #expect(try instance.count("SELECT count(*) FROM alerts") == 1)
    #expect(try instance.count("SELECT count(*) FROM notification_logs WHERE is_sent = 1") == 3)
  }

  @Test("A worker that was down on the third day sends the alert on the fourth")
  func late() throws {
    let (instance, _) = try quiet()
    try instance.goTo("2026-03-06", "15:00")
    #expect(try instance.subjects(to: "kai@example.test").count == 2)
    #expect(try instance.count("SELECT missed_days FROM alerts") == 3)
  }

  @Test("A check-in after it sends the all-clear, and a new silence another alert")
  func allClear() throws {
    let (instance, gia) = try quiet()
    try instance.goTo("2026-03-05", "09:05")
    #expect(gia.get("/checkin").shows("so we alerted your contact"))
    gia.tap()
    #expect(!gia.get("/checkin").shows("so we alerted"))
    #expect(try instance.subjects(to: "kai@example.test").count == 3)
    try instance.goTo("2026-03-08", "08:45")
    #expect(try instance.subjects(to: "kai@example.test").count == 3)
    try instance.goTo("2026-03-08", "09:15")
    #expect(try instance.subjects(to: "kai@example.test").count == 4)
    #expect(try instance.count("SELECT count(*) FROM alerts WHERE ended_at IS NULL") == 1)
  }

  @Test("A late offline tap that leaves the silence standing gives no all-clear and no new alert")
  func lateTap() throws {
    let (instance, gia) = try quiet()
    try instance.goTo("2026-03-05", "09:05")
    try instance.goTo("2026-03-06", "10:00")
    // Sent on the evening of the 3rd, in Taipei: two days without a check-in remain.
    gia.tap([("tapped_at", "2026-03-03T12:00:00.000Z")])
    try instance.goTo("2026-03-06", "12:00")
    try instance.goTo("2026-03-07", "12:00")
    #expect(try instance.count("SELECT count(*) FROM alerts") == 1)
    #expect(try instance.subjects(to: "kai@example.test").count == 4)
    gia.tap()
    #expect(try instance.subjects(to: "kai@example.test").count == 5)
  }

  @Test("No alert about a deleted user; after a restore within 30 days, days count from then")
  func deleted() throws {
    let instance = try TestInstance()
    let sam = try instance.checkedInMember()
    try instance.work()
    sam.post("/settings/delete", ["current_password": TestInstance.password])
    try instance.goTo("2026-03-06", "12:00")
    #expect(try instance.subjects(to: "kai@example.test").count == 1)
    let back = instance.browser()
    back.signIn("sam@example.test", TestInstance.password)
    back.post("/restore")
    #expect(back.isSignedIn)
    try instance.goTo("2026-03-09", "08:45")
    #expect(try instance.queuedAlerts() == 0)
    try instance.goTo("2026-03-09", "09:15")
    #expect(try instance.queuedAlerts() == 1)
  }

  @Test("A guest merged into a member is monitored as the member only")
  func merge() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let browser = instance.browser()
    browser.begin("Gia", contact: "kai@example.test")
    browser.get("/sign-in")
    let signedIn = browser.signIn("sam@example.test", TestInstance.password)
    #expect(signedIn.location?.hasPrefix("/merge") == true)
    browser.post("/merge", ["take": "1"])
    #expect(browser.get("/checkin").shows("data-state=\"done\""))
    try instance.goTo("2026-03-04", "12:00")
    browser.tap()
    try instance.goTo("2026-03-06", "12:00")
    #expect(try instance.subjects(to: "kai@example.test").count == 1)
    try instance.goTo("2026-03-07", "09:15")
    #expect(try instance.subjects(to: "kai@example.test").count == 2)
    #expect(try instance.count("SELECT count(*) FROM alerts") == 1)
  }

  @Test("Members are mailed the evening before, and an hour before; a guest has no mail")
  func warnings() throws {
    let instance = try TestInstance()
    try instance.checkedInMember()
    try instance.goTo("2026-03-04", "19:45")
    #expect(try instance.subjects(to: "sam@example.test").isEmpty)
    try instance.goTo("2026-03-04", "20:00")
    #expect(try instance.subjects(to: "sam@example.test").count == 1)
    try instance.goTo("2026-03-05", "08:00")
    #expect(try instance.subjects(to: "sam@example.test").count == 2)
    #expect(try instance.subjects(to: "kai@example.test").count == 1)
    let link = try instance.link(to: "sam@example.test")
    #expect(link.hasPrefix("/tap/"))
  }

  @Test("A worker that catches up sends the warning alone, not the reminder before it as well")
  func catchingUp() throws {
    let instance = try TestInstance()
    let sam = try instance.checkedInMember()
    #expect(sam.call(.put, "/checkin/settings", #"{"reminder_time":"18:00"}"#).status == 200)
    try instance.goTo("2026-03-04", "20:05")
    #expect(try instance.subjects(to: "sam@example.test").count == 1)
    func count(_ kind: String) throws -> Int {
      try instance.count("SELECT count(*) FROM contact_mails WHERE kind = \(kind)")
    }
    #expect(try count("warning") == 1)
    #expect(try count("reminder") == 0)
  }

  @Test("A pause holds the alert back, and a check-in ends it")
  func pause() throws {
    let (instance, gia) = try quiet()
    let person = try #require(
      try instance.database.read {
        try $0.value("SELECT id FROM users", as: ID<Person>.self)
      }
    )
    try instance.database.write { writer in
      let services = instance.instance.features.checkIn.services
      let today = try #require(LocalDay("2026-03-02"))
      try services.monitors.pause(
        person, from: today.adding(days: 1), until: today.adding(days: 8), in: writer)
      try MonitorService(services: services).reschedule(
        person, now: instance.clock.now(), in: writer)
    }
    try instance.goTo("2026-03-06", "12:00")
    let page = gia.get("/checkin")
    #expect(page.shows("Paused until the end of 10 March 2026"))
    #expect(page.shows("On a break until 10 March 2026"))
    #expect(try instance.subjects(to: "kai@example.test").count == 1)
    gia.tap()
    #expect(!gia.get("/checkin").shows("Paused until"))
    try instance.goTo("2026-03-09", "09:15")
    #expect(try instance.queuedAlerts() == 1)
  }

  @Test("After an outage users are reminded first, and contacts alerted after the grace period")
  func outage() throws {
    let instance = try TestInstance()
    try instance.checkedInMember()
    let checkIn = instance.instance.features.checkIn
    try checkIn.beat(now: instance.clock.now())
    try instance.work()
    // The service is down from the 2nd at 08:00 to the 5th at 10:00: 74 hours.
    instance.clock.advance(seconds: .hours(74))
    try instance.work()
    #expect(try instance.subjects(to: "kai@example.test").count == 1)
    try checkIn.beat(now: instance.clock.now())
    try instance.work()
    instance.clock.advance(seconds: CheckInScan.every)
    try instance.work()
    #expect(try instance.subjects(to: "sam@example.test").count == 1)
    #expect(try instance.subjects(to: "kai@example.test").count == 1)
    for _ in 0..<74 {
      instance.clock.advance(seconds: .hours(1))
      try checkIn.beat(now: instance.clock.now())
    }
    try instance.work()
    #expect(try instance.subjects(to: "kai@example.test").count == 2)
  }

  @Test("A lost alert is sent again; a refused one marks the contact")
  func lostAlert() throws {
    let (instance, gia) = try quiet()
    try instance.goTo("2026-03-05", "09:05")
    #expect(try instance.queuedAlerts() == 1)
    func comesBack(isLost: Bool) throws {
      let mail = try #require(
        try instance.database.read {
          try $0.value(
            """
            SELECT mail_id FROM contact_mails WHERE kind = 'alert' AND state = 'sent'
            """, as: ID<QueuedMail>.self)
        })
      try instance.instance.mailQueue.bounced(
        mail, "4.4.7 kai@example.test", isLost: isLost, now: instance.clock.now(),
        observers: instance.instance.mailObservers)
    }
    try comesBack(isLost: true)
    #expect(try instance.count("SELECT count(*) FROM contact_mails WHERE kind = 'alert'") == 2)
    // In half an hour: see "never in a circle".
    instance.clock.advance(seconds: .minutes(30))
    #expect(try instance.queuedAlerts() == 1)
    #expect(
      try instance.count("SELECT count(*) FROM emergency_contacts WHERE state = 'bouncing'") == 0)
    try comesBack(isLost: false)
    #expect(
      try instance.count("SELECT count(*) FROM emergency_contacts WHERE state = 'bouncing'") == 1)
    #expect(gia.get("/checkin").shows("No one would be alerted right now"))
    // A new contact is alerted at once, because none has been reached yet.
    gia.begin("Gia", contact: "kim@example.test", "save")
    #expect(try instance.subjects(to: "kim@example.test").count == 2)
    #expect(try instance.count("SELECT count(*) FROM contact_mails WHERE error LIKE '%@%'") == 0)
  }

  @Test("A contact who refuses while an alert is waiting does not get it")
  func refusedBeforeDelivery() throws {
    let (instance, _) = try quiet()
    let services = instance.instance.features.checkIn.services
    instance.clock.advance(seconds: .days(3) + .hours(2))
    try CheckInScan(services: services).run(now: instance.clock.now())
    #expect(try instance.count("SELECT count(*) FROM contact_mails WHERE kind = 'alert'") == 1)
    try instance.database.write { writer in
      let person = try #require(
        try writer.value("SELECT id FROM users", as: ID<Person>.self))
      let contact = try #require(try services.contacts.all(of: person, in: writer).first)
      try ContactService(services: services).stop(contact, now: instance.clock.now(), in: writer)
    }
    #expect(try instance.queuedAlerts() == 0)
    #expect(try instance.subjects(to: "kai@example.test").count == 1)
  }

  @Test("Two workers at once over many due users: one alert each")
  func twoWorkers() throws {
    let instance = try TestInstance()
    let count = 200
    let services = instance.instance.features.checkIn.services
    try instance.database.write { writer in
      for number in 0..<count {
        let guest = ID<Person>(now: instance.clock.now())
        try writer.execute(
          """
          INSERT INTO users (id, role, display_name, language, time_zone, terms_version,
            terms_accepted_at, created_at)
            VALUES (\(guest), 1, \("G\(number)"), 'en', 'Asia/Taipei', 'x', 0, 0)
          """)
        let card = try #require(try services.people.card(guest, in: writer))
        try ContactService(services: services).add(
          to: card, name: "", email: "k\(number)@example.test", now: instance.clock.now(),
          in: writer)
        _ = try CheckInService(services: services).tap(
          by: card, now: instance.clock.now(), in: writer)
      }
    }
    instance.clock.advance(seconds: .days(4))
    let now = instance.clock.now()
    let modules = [instance.instance.features.checkIn, try instance.reopened().features.checkIn]
    let failures = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: modules.count) { index in
      do {
        try CheckInScan(services: modules[index].services).run(now: now)
      } catch {
        failures.withLock { $0 += 1 }
      }
    }
    #expect(failures.withLock { $0 } == 0)
    #expect(try instance.count("SELECT count(*) FROM alerts") == count)
    #expect(try instance.count("SELECT count(*) FROM contact_mails WHERE kind = 'alert'") == count)
    #expect(try instance.problems() == [])
  }
}
