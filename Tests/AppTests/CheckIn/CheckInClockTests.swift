import Core
import Database
import Foundation
import Testing

@testable import App
@testable import CheckIn

extension TestInstance {
  /// Runs handlers and worker until a local time in Taipei.
  func live(until day: String, _ time: String) throws {
    let parts = time.split(separator: ":").compactMap { Int64($0) }
    let zone = try #require(TimeZone(identifier: "Asia/Taipei"))
    let end = try #require(LocalDay(day)).instant(
      minute: Int(parts[0] * 60 + parts[1]), in: zone)
    while end.seconds(since: clock.now()) > .hours(1) {
      clock.advance(seconds: .hours(1))
      try beat()
    }
    clock.set(end)
    try beat()
    try work()
  }

  func beat() throws { try instance.features.checkIn.beat(now: clock.now()) }

  /// Runs handlers and worker with a wrong clock for some minutes, then with the right one.
  func live(by wrong: Instant, for seconds: Int64 = 600, _ body: () throws -> Void = {}) throws {
    let right = clock.now()
    clock.set(wrong)
    try beat()
    try work()
    try body()
    clock.advance(seconds: seconds)
    try beat()
    try work()
    clock.set(right.adding(seconds: seconds))
  }

  /// Checks a user in, even if the session has expired by this clock.
  func tap(_ name: String) throws {
    let person = try person(name)
    try database.write { writer in
      let card = try #require(try checkIn.people.card(person, in: writer))
      _ = try CheckInService(services: checkIn).tap(by: card, now: clock.now(), in: writer)
    }
  }

  /// Number of alerts sent about a user.
  func queuedAlerts(of name: String) throws -> Int {
    try work()
    return try database.read {
      try $0.count(
        """
        SELECT count(*) FROM contact_mails m JOIN users u ON u.id = m.user_id
        WHERE m.kind = 'alert' AND m.state = 'sent' AND u.display_name = \(name)
        """)
    }
  }
}

/// The instance's clock starts at 2026-03-02, 08:00 in Taipei. Gia checks in then and never again:
/// her contact is due an alert on the 5th at nine.
@Suite("A clock that is wrong for a while causes no false alert and loses no alert")
struct CheckInClockTests {
  private func quiet() throws -> (TestInstance, gia: TestClient, fay: TestClient) {
    let instance = try TestInstance()
    try instance.beat()
    let (gia, fay) = (instance.browser(), instance.browser())
    gia.begin("Gia", contact: "kai@example.test")
    fay.begin("Fay", contact: "mo@example.test")
    try instance.work()
    return (instance, gia, fay)
  }

  @Test(
    "A machine that starts with a clock years back until it is corrected",
    arguments: ["1970-01-01T00:00:10Z", "2000-01-01T00:00:00Z", "2020-06-01T12:00:00Z"],
    [Int64.minutes(20), .hours(20)])
  func yearsBack(start: String, away: Int64) throws {
    let (instance, _, fay) = try quiet()
    try instance.live(until: "2026-03-04", "22:00")
    fay.tap()
    instance.clock.advance(seconds: away)
    try instance.live(by: try #require(Instant(rfc3339: start)))
    try instance.beat()
    try instance.work()
    #expect(try instance.count("SELECT count(*) FROM alerts") == 0)
    // At nine, or at the end of the grace period: at the latest a day after the clock was right.
    let until = try instance.instance.features.checkIn.alertSuspension(now: instance.clock.now())?
      .until
    if away < .hours(1) {
      #expect(until == nil)
      try instance.live(until: "2026-03-05", "08:45")
      #expect(try instance.count("SELECT count(*) FROM alerts") == 0)
      try instance.live(until: "2026-03-05", "09:15")
    } else {
      let end = try #require(until)
      #expect(end.seconds(since: instance.clock.now()) <= .hours(24))
      while instance.clock.now() < end {
        #expect(try instance.queuedAlerts() == 0)
        instance.clock.advance(seconds: .hours(1))
        try instance.beat()
      }
    }
    #expect(try instance.queuedAlerts(of: "Gia") == 1)
    #expect(try instance.queuedAlerts(of: "Fay") == 0)
    #expect(try instance.problems() == [])
  }

  @Test("A machine that is off for most of each day sends alerts all the same")
  func offAtNight() throws {
    let (instance, _, fay) = try quiet()
    for day in ["2026-03-02", "2026-03-03", "2026-03-04", "2026-03-05"] {
      try instance.live(until: day, "19:00")
      #expect(try instance.queuedAlerts() == 0, "on \(day)")
      instance.clock.advance(seconds: .hours(13))
      try instance.beat()
      if day == "2026-03-04" { fay.tap() }
    }
    // The service was up for eleven hours in which Gia could still have checked in, and down for
    // thirteen.
    try instance.live(until: "2026-03-06", "09:45")
    #expect(try instance.queuedAlerts() == 0)
    try instance.live(until: "2026-03-06", "10:15")
    #expect(try instance.queuedAlerts(of: "Gia") == 1)
    #expect(try instance.queuedAlerts(of: "Fay") == 0)
    #expect(try instance.problems() == [])
  }

  @Test(
    "A clock that was wrong only for the scan sends neither reminders nor alerts",
    arguments: [
      Int64.days(-9_500), .days(-5), .hours(-3), .hours(3), .days(5), .days(1_000),
    ])
  func scanAlone(step: Int64) throws {
    let (instance, _, fay) = try quiet()
    try instance.live(until: "2026-03-04", "12:00")
    fay.tap()
    let before = try instance.count("SELECT count(*) FROM contact_mails")
    try CheckInScan(services: instance.checkIn).run(now: instance.clock.now().adding(seconds: step))
    #expect(try instance.count("SELECT count(*) FROM alerts") == 0)
    #expect(try instance.count("SELECT count(*) FROM contact_mails") == before)
    instance.clock.advance(seconds: 60)
    try instance.beat()
    try instance.work()
    #expect(try instance.count("SELECT count(*) FROM contact_mails") == before)
    try instance.live(until: "2026-03-05", "08:45")
    #expect(try instance.queuedAlerts() == 0)
    try instance.live(until: "2026-03-05", "09:15")
    #expect(try instance.queuedAlerts(of: "Gia") == 1)
    try instance.live(until: "2026-03-07", "08:45")
    #expect(try instance.queuedAlerts(of: "Fay") == 0)
    try instance.live(until: "2026-03-07", "09:15")
    #expect(try instance.queuedAlerts(of: "Fay") == 1)
  }

  @Test("Long after the handlers' last heartbeat the end of the grace period is unknown")
  func farFromBeat() throws {
    let instance = try TestInstance()
    try instance.beat()
    let now = instance.clock.now()
    func suspension(_ after: Int64, maximumGracePeriod: Int64? = nil) throws -> AlertSuspension? {
      try instance.database.read {
        try OutageStore(database: instance.database, maximumGracePeriod: maximumGracePeriod)
          .suspension(now: now.adding(seconds: after), in: $0)
      }
    }
    for near in [-Outage.minimumLength, 0, Outage.minimumLength] {
      #expect(try suspension(near) == nil)
    }
    #expect(try suspension(-.hours(3)) == AlertSuspension(until: nil, cause: .clock))
    #expect(try suspension(.hours(3)) == AlertSuspension(until: nil, cause: .outage))
    #expect(try suspension(.hours(3), maximumGracePeriod: 0) == nil)
  }

  @Test("A clock that was behind and has come to where it was leaves nothing behind")
  func cameBack() throws {
    let instance = try TestInstance()
    try instance.beat()
    instance.clock.advance(seconds: -.hours(3))
    try instance.beat()
    #expect(try instance.count("SELECT count(*) FROM outages") == 1)
    for _ in 1...8 {
      instance.clock.advance(seconds: .minutes(30))
      try instance.beat()
    }
    #expect(try instance.count("SELECT count(*) FROM outages") == 0)
  }

  @Test("With the grace period turned off alerts are sent in spite of outages")
  func noGrace() throws {
    let instance = try TestInstance(variables: ["PAIRSPOT_OUTAGE_GRACE": "0"])
    instance.browser().begin("Gia", contact: "kai@example.test")
    try instance.beat()
    instance.clock.advance(seconds: .hours(74))
    #expect(try instance.queuedAlerts() == 1)
    try instance.database.write {
      let now = instance.clock.now()
      try OutageStore.add(
        Outage(from: now, until: now, grace: .hours(24), .restore), maximumGracePeriod: nil, in: $0)
      #expect(try instance.checkIn.outages.restoredUntil(now: now, in: $0) == nil)
    }
  }

  @Test(
    "A tap on a clock that was ahead counts for its day, as far as tomorrow",
    arguments: [
      (Int64.hours(1), "2026-03-04", 7), (.hours(3), "2026-03-04", 7),
      (.hours(20), "2026-03-05", 8),
      (.days(30), "2026-04-03", 7), (.days(1_000), "2028-11-28", 7),
    ])
  func tapAhead(step: Int64, day: String, due: Int) throws {
    let (instance, gia, _) = try quiet()
    try instance.live(until: "2026-03-04", "10:00")
    try instance.live(by: instance.clock.now().adding(seconds: step)) {
      try instance.tap("Gia")
    }
    try instance.beat()
    try instance.work()
    let days = try instance.database.read {
      try $0.rows(
        """
        SELECT c.day FROM check_ins c JOIN users u ON u.id = c.user_id
        WHERE u.display_name = 'Gia' ORDER BY c.day
        """
      ) { try $0.next(LocalDay.self).description }
    }
    #expect(days == ["2026-03-02", day])
    // With a clock that is years ahead, her session has expired.
    if step < .days(400) {
      #expect(
        gia.get("/checkin").shows("data-state=\"\(day == "2026-03-04" ? "done" : "ready")\""))
    }
    try instance.live(until: "2026-03-0\(due)", "08:45")
    #expect(try instance.queuedAlerts(of: "Gia") == 0)
    try instance.live(until: "2026-03-0\(due)", "09:15")
    #expect(try instance.queuedAlerts(of: "Gia") == 1)
    #expect(try instance.problems() == [])
  }

  @Test(
    "A first check-in by a clock that is years off is monitored after the correction",
    arguments: [Int64.days(-9_500), .days(1_000)])
  func firstTap(step: Int64) throws {
    let instance = try TestInstance()
    try instance.beat()
    try instance.live(until: "2026-03-03", "10:00")
    try instance.live(by: instance.clock.now().adding(seconds: step)) {
      instance.browser().begin("Ina", contact: "ada@example.test")
    }
    try instance.beat()
    try instance.work()
    try instance.live(until: "2026-03-06", "08:45")
    #expect(try instance.queuedAlerts(of: "Ina") == 0)
    try instance.live(until: "2026-03-06", "09:15")
    #expect(try instance.queuedAlerts(of: "Ina") == 1)
    #expect(try instance.problems() == [])
  }

  @Test("A tap in the minute in which the clock was wrong puts no alert off for years")
  func tapInBetween() throws {
    let (instance, _, _) = try quiet()
    try instance.live(until: "2026-03-04", "10:00")
    let right = instance.clock.now()
    instance.clock.advance(seconds: .days(1_000))
    try instance.tap("Gia")
    instance.clock.set(right.adding(seconds: 60))
    try instance.live(until: "2026-03-04", "10:15")
    try instance.live(until: "2026-03-07", "08:45")
    #expect(try instance.queuedAlerts(of: "Gia") == 0)
    try instance.live(until: "2026-03-07", "09:15")
    #expect(try instance.queuedAlerts(of: "Gia") == 1)
  }

  @Test("A clock corrected by minutes after an outage leaves its grace period")
  func graceStays() throws {
    let (instance, _, _) = try quiet()
    // The service is down from the 2nd at 08:00 to the 5th at 10:00.
    instance.clock.advance(seconds: .hours(74))
    try instance.beat()
    try instance.work()
    instance.clock.advance(seconds: -.minutes(5))
    try instance.beat()
    try instance.live(until: "2026-03-08", "11:45")
    #expect(try instance.queuedAlerts() == 0)
    try instance.live(until: "2026-03-08", "12:15")
    #expect(try instance.queuedAlerts(of: "Gia") == 1)
  }

  @Test("After days without power alerts wait as long, and then go out")
  func daysOff() throws {
    let (instance, _, _) = try quiet()
    instance.clock.advance(seconds: .days(5))
    // The worker starts before users can check in.
    try instance.work()
    #expect(try instance.queuedAlerts() == 0)
    try instance.beat()
    try instance.live(until: "2026-03-12", "07:45")
    #expect(try instance.queuedAlerts() == 0)
    try instance.live(until: "2026-03-12", "08:15")
    #expect(try instance.queuedAlerts() == 2)
  }

  @Test("Whether alerts are held, and why, is on the page for admins and in the metrics")
  func seen() throws {
    let (instance, _, _) = try quiet()
    let ada = try instance.admin()
    let gauge = "pairspot_alerts_held_until_timestamp_seconds "
    func metric() -> String { instance.browser().get("/metrics").text }
    #expect(metric().contains("\(gauge)0\n"))
    #expect(ada.get("/admin/health").shows("Sent when due"))
    instance.clock.advance(seconds: .hours(3))
    #expect(metric().contains("\(gauge)253402300799\n"))
    #expect(ada.get("/admin/health").shows("On hold until pages are served"))
    try instance.beat()
    // The length of the outage: these three hours, and the time since the heartbeat before.
    let least = instance.clock.now().adding(seconds: .hours(3)).milliseconds / 1000
    let line = metric().split(separator: "\n").first { $0.hasPrefix(gauge) }
    let until = try #require(line.flatMap { Int64($0.dropFirst(gauge.count)) })
    #expect((least...least + 60).contains(until))
    #expect(ada.get("/admin/health").shows("no one could check in for a while"))
    instance.clock.advance(seconds: -.days(3))
    try instance.beat()
    #expect(ada.get("/admin/health").shows("the clock was set"))
    for language in ["zh-Hant", "zh-Hans"] {
      ada.post("/language", ["language": language, "next": "/admin/health"])
      let page = ada.get("/admin/health")
      #expect(page.shows("lang=\"\(language)\"") && !page.shows("admin.health."))
    }
  }
}
