import Accounts
import Core
import Database
import Foundation
import Mail
import Synchronization
import Testing
import Web

@testable import App
@testable import CheckIn

/// Faults that must not prevent an alert. The instance's clock starts at 2026-03-02, 08:00 in
/// Taipei.
@Suite("Faults that must not prevent an alert")
struct CheckInFaultTests {
  private func quiet() throws -> (TestInstance, TestClient) {
    let instance = try TestInstance()
    let gia = instance.browser()
    gia.begin("Gia", contact: "kai@example.test")
    try instance.work()
    return (instance, gia)
  }

  /// Another user who stops checking in on the same day, with Mo as contact.
  private func another(in instance: TestInstance) throws {
    instance.browser().begin("Fay", contact: "mo@example.test")
    try instance.work()
  }

  private func services(_ instance: TestInstance) -> CheckInEnvironment {
    instance.instance.features.checkIn.services
  }

  /// The user with this name.
  private func person(_ name: String, _ instance: TestInstance) throws -> UserSummary {
    try #require(
      try instance.database.read { reader in
        let id = try reader.value(
          "SELECT id FROM users WHERE display_name = \(name)", as: ID<Person>.self)
        return try id.flatMap { try services(instance).people.card($0, in: reader) }
      })
  }

  private func add(_ address: String, to name: String, _ instance: TestInstance) throws {
    let card = try person(name, instance)
    try instance.database.write {
      _ = try ContactService(services: services(instance)).add(
        to: card, name: "", email: address, now: instance.clock.now(), in: $0)
    }
    try instance.work()
  }

  /// Makes contacts' addresses impossible to decrypt.
  private func spoil(_ which: Query, _ instance: TestInstance) throws {
    try instance.database.write {
      try $0.execute(
        """
        UPDATE emergency_contacts SET email_sealed = \([UInt8](repeating: 0, count: 40))
        WHERE user_id IN (SELECT id FROM users WHERE display_name = 'Gia') AND \(which)
        """)
    }
  }

  @Test("A contact whose address cannot be decrypted blocks neither other alerts nor check-ins")
  func oneUnreadable() throws {
    let (instance, gia) = try quiet()
    try add("lee@example.test", to: "Gia", instance)
    try spoil("position = 1", instance)
    #expect(gia.get("/checkin").status == 200)
    try instance.goTo("2026-03-05", "09:05")
    #expect(try instance.subjects(to: "lee@example.test").count == 2)
    #expect(gia.tap().status == 303)
    try instance.work()
    #expect(try instance.subjects(to: "lee@example.test").count == 3)
  }

  @Test("With no readable address the alert stays due, others are sent, and it is sent later")
  func allUnreadable() throws {
    let (instance, gia) = try quiet()
    try another(in: instance)
    let sealed = try #require(
      try instance.database.read {
        try $0.value(
          """
          SELECT email_sealed FROM emergency_contacts
          WHERE user_id IN (SELECT id FROM users WHERE display_name = 'Gia')
          """, as: [UInt8].self)
      })
    try spoil("1 = 1", instance)
    #expect(gia.get("/checkin").status == 200)
    try instance.goTo("2026-03-05", "09:05")
    #expect(try instance.subjects(to: "mo@example.test").count == 2)
    #expect(try instance.count("SELECT count(*) FROM alerts") == 1)
    // The scan reports the failures after one full pass.
    instance.clock.advance(seconds: CheckInScan.retry)
    try instance.beat()
    #expect(throws: AlertService.UndecryptableContactsError.self) {
      try CheckInScan(services: instance.checkIn).run(now: instance.clock.now())
    }
    for hour in ["10:00", "14:00", "18:00"] { try instance.goTo("2026-03-05", hour) }
    // The keys are restored.
    try instance.database.write {
      try $0.execute(
        """
        UPDATE emergency_contacts SET email_sealed = \(sealed)
        WHERE user_id IN (SELECT id FROM users WHERE display_name = 'Gia')
        """)
    }
    try instance.goTo("2026-03-05", "18:15")
    #expect(try instance.subjects(to: "kai@example.test").count == 2)
    #expect(try instance.queuedAlerts() == 2)
  }

  @Test("A note that cannot be opened keeps no alert back, and no tap away")
  func unreadableNote() throws {
    let (instance, gia) = try quiet()
    try instance.database.write {
      try $0.execute(
        "UPDATE checkin_settings SET note_sealed = \([UInt8](repeating: 0, count: 40))")
    }
    try instance.goTo("2026-03-05", "09:05")
    #expect(try instance.queuedAlerts() == 1)
    #expect(gia.tap().status == 303)
    try instance.work()
    #expect(try instance.subjects(to: "kai@example.test").count == 3)
  }

  @Test("A user whose address cannot be decrypted is monitored all the same")
  func unreadablePerson() throws {
    let instance = try TestInstance()
    try instance.checkedInMember()
    try instance.work()
    try instance.database.write {
      try $0.execute("UPDATE users SET email_sealed = \([UInt8](repeating: 0, count: 40))")
    }
    try instance.goTo("2026-03-05", "09:05")
    #expect(try instance.queuedAlerts() == 1)
  }

  @Test("A clock that ran a year ahead for a while, and was set back, loses no alert")
  func clockRanAhead() throws {
    let (instance, _) = try quiet()
    let checkIn = instance.instance.features.checkIn
    try checkIn.beat(now: instance.clock.now())
    let right = instance.clock.now()
    instance.clock.advance(seconds: .days(365))
    // The worker runs first: from its view the handlers have been down for a year.
    try instance.work()
    try checkIn.beat(now: instance.clock.now())
    instance.clock.set(right.adding(seconds: 600))
    try instance.work()
    #expect(try instance.count("SELECT count(*) FROM alerts") == 0)
    try instance.goTo("2026-03-05", "08:45")
    #expect(try instance.queuedAlerts() == 0)
    try instance.goTo("2026-03-05", "09:05")
    #expect(try instance.queuedAlerts() == 1)
  }

  @Test("A database that refuses to write in the middle of a scan delays alerts, and doubles none")
  func failingWrites() throws {
    let (instance, _) = try quiet()
    for number in 0..<5 {
      instance.browser().begin("G\(number)", contact: "k\(number)@example.test")
    }
    try instance.work()
    // The third alert meets a full disk; later all writes fail.
    let triggers: [(String, time: String)] = [
      ("BEFORE INSERT ON alerts WHEN (SELECT count(*) FROM alerts) = 2", "09:05"),
      ("BEFORE UPDATE ON checkin_settings", "09:30"),
    ]
    for (trigger, time) in triggers {
      try instance.migrate(
        "CREATE TRIGGER disk_full \(trigger) BEGIN SELECT RAISE(ABORT, 'full'); END")
      try instance.goTo("2026-03-05", time)
      #expect(try instance.queuedAlerts() == 2)
      try instance.migrate("DROP TRIGGER disk_full")
    }
    try instance.goTo("2026-03-05", "10:00")
    #expect(try instance.queuedAlerts() == 6)
    #expect(try instance.count("SELECT count(*) FROM alerts") == 6)
    for number in 0..<5 {
      #expect(try instance.subjects(to: "k\(number)@example.test").count == 2)
    }
  }

  /// A user who was postponed.
  private final class Postponed: Sendable {
    let isSeen = Atomic(false)
  }

  @Test("A user whose transactions meet a locked database is evaluated again in the same scan")
  func lockedDatabase() throws {
    let (instance, _) = try quiet()
    try another(in: instance)
    try instance.goTo("2026-03-05", "08:55")
    instance.clock.advance(seconds: 600)
    try instance.beat()
    let (now, gia) = (instance.clock.now(), try person("Gia", instance).id)
    let postponed = Postponed()
    let hook = TransactionHook { writer, _ in
      let later = now.adding(seconds: CheckInScan.retry)
      if try writer.exists(
        "SELECT 1 FROM checkin_settings WHERE user_id = \(gia) AND next_at = \(later)")
      {
        postponed.isSeen.store(true, ordering: .relaxed)
      }
      guard !postponed.isSeen.load(ordering: .relaxed) else { return }
      if try writer.exists("SELECT 1 FROM alerts WHERE user_id = \(gia)") {
        throw StorageError.busy
      }
    }
    try TransactionHook.$step.withValue(hook) {
      _ = try CheckInScan(services: instance.checkIn).run(now: now)
    }
    let wasSeen = postponed.isSeen.load(ordering: .relaxed)
    #expect(wasSeen)
    #expect(try instance.queuedAlerts() == 2)
    #expect(try instance.count("SELECT count(*) FROM alerts") == 2)
  }

  @Test("An alert ended by a late check-in does not suppress a later one for the same silence")
  func sameSilenceAgain() throws {
    let (instance, gia) = try quiet()
    try instance.goTo("2026-03-05", "09:05")
    #expect(try instance.queuedAlerts() == 1)
    try instance.database.write {
      try $0.execute("UPDATE checkin_settings SET threshold_days = 7")
    }
    // Sent at noon of the 2nd: no new day, but with seven missed days allowed no alert is due for
    // now.
    gia.tap([("tapped_at", "2026-03-02T04:00:00.000Z")])
    #expect(try instance.count("SELECT count(*) FROM alerts WHERE ended_at IS NULL") == 0)
    try instance.goTo("2026-03-10", "08:45")
    #expect(try instance.queuedAlerts() == 1)
    try instance.goTo("2026-03-10", "09:05")
    #expect(try instance.queuedAlerts() == 2)
    try instance.goTo("2026-03-11", "09:00")
    #expect(try instance.queuedAlerts() == 2)
    #expect(try instance.count("SELECT count(*) FROM alerts WHERE ended_at IS NULL") == 1)
  }

  @Test("An alert that a server refuses to pass on is written again later, never in a circle")
  func lostOnItsWay() throws {
    let (instance, gia) = try quiet()
    try instance.goTo("2026-03-05", "09:05")
    let observer = instance.instance.features.checkIn.mailObserver
    for (queuedAlerts, wait) in [(1, Int64.minutes(30)), (2, .hours(2)), (3, .hours(6))] {
      let mail = try #require(
        try instance.database.read {
          try $0.value(
            """
            SELECT mail_id FROM contact_mails WHERE kind = 'alert' AND state = 'sent'
            """, as: ID<QueuedMail>.self)
        })
      try instance.instance.mailQueue.bounced(
        mail, "550 5.7.1 no", isLost: true, now: instance.clock.now(), observers: [observer])
      try instance.work()
      #expect(try instance.queuedAlerts() == 0)
      instance.clock.advance(seconds: wait - 1)
      #expect(try instance.queuedAlerts() == 0)
      instance.clock.advance(seconds: 2)
      #expect(try instance.queuedAlerts() == 1)
      #expect(
        try instance.count("SELECT count(*) FROM contact_mails WHERE kind = 'alert'")
          == queuedAlerts + 1)
    }
    gia.tap()
    try instance.work()
    #expect(try instance.count("SELECT count(*) FROM alerts") == 1)
    #expect(
      try instance.subjects(to: "kai@example.test").last == "[PairSpot] Gia has checked in again")
  }

  @Test("A user who checked in while the clock was ahead is monitored after the correction")
  func tapOnWrongClock() throws {
    let (instance, gia) = try quiet()
    let right = instance.clock.now()
    instance.clock.advance(seconds: .days(30))
    try instance.work()
    #expect(try instance.queuedAlerts() == 1)
    #expect(gia.tap().status == 303)
    instance.clock.set(right.adding(seconds: 600))
    try instance.work()
    #expect(try instance.problems() == [])
    try instance.goTo("2026-03-05", "08:45")
    #expect(try instance.queuedAlerts() == 1)
    try instance.goTo("2026-03-05", "09:05")
    #expect(try instance.queuedAlerts() == 2)
    #expect(gia.tap().status == 303)
    #expect(try instance.count("SELECT count(*) FROM alerts WHERE ended_at IS NULL") == 0)
  }

  @Test("The all-clear reaches a removed contact, however often the user checks in")
  func removedContact() throws {
    let (instance, gia) = try quiet()
    try instance.goTo("2026-03-05", "09:05")
    #expect(try instance.subjects(to: "kai@example.test").count == 2)
    let card = try person("Gia", instance)
    try instance.database.write { writer in
      let contact = try #require(
        try services(instance).contacts.all(of: card.id, in: writer).first)
      try ContactService(services: services(instance)).remove(
        contact, now: instance.clock.now(), in: writer)
    }
    gia.begin("Gia", contact: "lee@example.test")
    #expect(gia.tap().status == 303)
    try instance.work()
    #expect(try instance.subjects(to: "kai@example.test").count == 3)
  }

  @Test(
    "A guest with an open alert becomes a member who has tapped: all is clear, and the next silence counts"
  )
  func mergeWithAlert() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let guest = instance.browser()
    guest.begin("Gia", contact: "kai@example.test")
    let sam = try instance.signedIn("sam")
    sam.begin("Sam", contact: "lee@example.test")
    try instance.goTo("2026-03-04", "12:00")
    sam.tap()
    try instance.goTo("2026-03-05", "09:05")
    #expect(try instance.subjects(to: "kai@example.test").count == 2)
    #expect(try instance.subjects(to: "lee@example.test").count == 1)
    guest.get("/sign-in")
    guest.signIn("sam@example.test", TestInstance.password)
    guest.post("/merge", ["take": "1"])
    try instance.work()
    #expect(try instance.subjects(to: "kai@example.test").count == 3)
    #expect(try instance.count("SELECT count(*) FROM alerts WHERE ended_at IS NULL") == 0)
    try instance.goTo("2026-03-07", "09:05")
    #expect(try instance.subjects(to: "kai@example.test").count == 4)
    #expect(try instance.subjects(to: "lee@example.test").count == 2)
  }

  @Test("Alerts about guest and member for the same silence: all contacts get the all-clear")
  func mergeOfTwoAlerts() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let guest = instance.browser()
    guest.begin("Gia", contact: "kai@example.test")
    let sam = try instance.signedIn("sam")
    sam.begin("Sam", contact: "lee@example.test")
    try add("kai@example.test", to: "Sam", instance)
    try instance.goTo("2026-03-05", "09:05")
    #expect(try instance.queuedAlerts() == 3)
    guest.get("/sign-in")
    guest.signIn("sam@example.test", TestInstance.password)
    guest.post("/merge", ["take": "1"])
    #expect(try instance.count("SELECT count(*) FROM alerts") == 1)
    let before = try instance.subjects(to: "kai@example.test").count
    guest.tap()
    try instance.work()
    #expect(try instance.subjects(to: "lee@example.test").count == 3)
    #expect(try instance.subjects(to: "kai@example.test").count == before + 1)
    #expect(try instance.count("SELECT count(*) FROM alerts WHERE ended_at IS NULL") == 0)
    #expect(try instance.problems() == [])
  }
}
