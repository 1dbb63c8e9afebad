import Accounts
import Basics
import Database
import Foundation
import Mail
import Testing
import Web

@testable import App
@testable import CheckIn

/// What must not cost anybody their alert. The application begins on 2026-03-02 at 08:00 in Taipei.
@Suite("Faults that must cost nobody their alert")
struct CheckInFaultTests {
  private func quiet() throws -> (TestHouse, Browser) {
    let house = try TestHouse()
    let gia = house.browser()
    gia.begin("Gia", contact: "kai@example.test")
    try house.work()
    return (house, gia)
  }

  /// Somebody else who goes quiet on the same day, and whose contact is Mo.
  private func another(in house: TestHouse) throws {
    house.browser().begin("Fay", contact: "mo@example.test")
    try house.work()
  }

  private func services(_ house: TestHouse) -> CheckInServices {
    house.house.features.checkIn.services
  }

  /// The person whom the database names so.
  private func person(_ name: String, _ house: TestHouse) throws -> PersonCard {
    try #require(
      try house.database.read { reader in
        let id = try reader.first(
          "SELECT id FROM users WHERE display_name = ?", name
        ) { try $0.id(0, Person.self) }
        return try id.flatMap { try services(house).people.card($0, in: reader) }
      })
  }

  private func add(_ address: String, to name: String, _ house: TestHouse) throws {
    let card = try person(name, house)
    try house.database.write {
      _ = try ContactDesk(services: services(house)).add(
        to: card, name: "", email: address, now: house.clock.now(), in: $0)
    }
    try house.work()
  }

  /// Contacts whose address no key here opens.
  private func spoil(_ which: String, _ house: TestHouse) throws {
    try house.database.write {
      try $0.execute(
        """
        UPDATE emergency_contacts SET email_sealed = zeroblob(40)
        WHERE user_id IN (SELECT id FROM users WHERE display_name = 'Gia') AND \(which)
        """)
    }
  }

  @Test("A contact whose address cannot be opened keeps no other from being told, nor a tap away")
  func oneUnreadable() throws {
    let (house, gia) = try quiet()
    try add("lee@example.test", to: "Gia", house)
    try spoil("position = 1", house)
    #expect(gia.get("/checkin").status == 200)
    try house.goTo("2026-03-05", "09:05")
    #expect(try house.subjects(to: "lee@example.test").count == 2)
    #expect(gia.tap().status == 303)
    try house.work()
    #expect(try house.subjects(to: "lee@example.test").count == 3)
  }

  @Test("With no address that opens the alert stays due, others are told, and it goes out later")
  func allUnreadable() throws {
    let (house, gia) = try quiet()
    try another(in: house)
    let sealed = try #require(
      try house.database.read {
        try $0.first(
          """
          SELECT email_sealed FROM emergency_contacts
          WHERE user_id IN (SELECT id FROM users WHERE display_name = 'Gia')
          """
        ) { $0.bytes(0) }
      })
    try spoil("1", house)
    #expect(gia.get("/checkin").status == 200)
    try house.goTo("2026-03-05", "09:05")
    #expect(try house.subjects(to: "mo@example.test").count == 2)
    #expect(try house.count("SELECT count(*) FROM alerts") == 1)
    // Once all have been seen the scan says so.
    house.clock.advance(seconds: CheckInScan.every)
    try house.beat()
    #expect(throws: AlertDesk.NoAddressOpens.self) {
      try CheckInScan(services: house.checkIn).run(now: house.clock.now())
    }
    for hour in ["10:00", "14:00", "18:00"] { try house.goTo("2026-03-05", hour) }
    // The keys are back.
    try house.database.write {
      try $0.execute(
        """
        UPDATE emergency_contacts SET email_sealed = ?
        WHERE user_id IN (SELECT id FROM users WHERE display_name = 'Gia')
        """, sealed)
    }
    try house.goTo("2026-03-05", "18:15")
    #expect(try house.subjects(to: "kai@example.test").count == 2)
    #expect(try house.told() == 2)
  }

  @Test("A note that cannot be opened keeps no alert back, and no tap away")
  func unreadableNote() throws {
    let (house, gia) = try quiet()
    try house.database.write {
      try $0.execute("UPDATE checkin_settings SET note_sealed = zeroblob(40)")
    }
    try house.goTo("2026-03-05", "09:05")
    #expect(try house.told() == 1)
    #expect(gia.tap().status == 303)
    try house.work()
    #expect(try house.subjects(to: "kai@example.test").count == 3)
  }

  @Test("Who has an address that cannot be opened is watched over all the same")
  func unreadablePerson() throws {
    let house = try TestHouse()
    try house.checkedInMember()
    try house.work()
    try house.database.write {
      try $0.execute("UPDATE users SET email_sealed = zeroblob(40)")
    }
    try house.goTo("2026-03-05", "09:05")
    #expect(try house.told() == 1)
  }

  @Test("A clock that ran a year ahead for a while, and was set back, loses no alert")
  func clockRanAhead() throws {
    let (house, _) = try quiet()
    let checkIn = house.house.features.checkIn
    try checkIn.beat(now: house.clock.now())
    let right = house.clock.now()
    house.clock.advance(seconds: .days(365))
    // The worker comes first: to it the handlers have been silent for a year.
    try house.work()
    try checkIn.beat(now: house.clock.now())
    house.clock.set(right.adding(seconds: 600))
    try house.work()
    #expect(try house.count("SELECT count(*) FROM alerts") == 0)
    try house.goTo("2026-03-05", "08:45")
    #expect(try house.told() == 0)
    try house.goTo("2026-03-05", "09:05")
    #expect(try house.told() == 1)
  }

  @Test("A database that refuses to write in the middle of a scan delays alerts, and doubles none")
  func failingWrites() throws {
    let (house, _) = try quiet()
    for number in 0..<5 {
      house.browser().begin("G\(number)", contact: "k\(number)@example.test")
    }
    try house.work()
    // The third alert finds no room; later nothing does.
    for trigger in [
      "BEFORE INSERT ON alerts WHEN (SELECT count(*) FROM alerts) = 2",
      "BEFORE UPDATE ON checkin_settings",
    ] {
      try house.database.write {
        try $0.execute(
          "CREATE TRIGGER IF NOT EXISTS full \(trigger) BEGIN SELECT RAISE(ABORT, 'full'); END")
      }
      try house.goTo("2026-03-05", trigger.contains("alerts") ? "09:05" : "09:30")
      #expect(try house.told() == 2)
      try house.database.write { try $0.execute("DROP TRIGGER full") }
    }
    try house.goTo("2026-03-05", "10:00")
    #expect(try house.told() == 6)
    #expect(try house.count("SELECT count(*) FROM alerts") == 6)
    for number in 0..<5 {
      #expect(try house.subjects(to: "k\(number)@example.test").count == 2)
    }
  }

  @Test("An alert that a late tap ended does not keep the same silence from being told of later")
  func sameSilenceAgain() throws {
    let (house, gia) = try quiet()
    try house.goTo("2026-03-05", "09:05")
    #expect(try house.told() == 1)
    try house.database.write {
      try $0.execute("UPDATE checkin_settings SET threshold_days = 7")
    }
    // Made at noon of the 2nd: no new day, but with seven days to miss all is well for now.
    gia.tap([("tapped_at", "2026-03-02T04:00:00.000Z")])
    #expect(try house.count("SELECT count(*) FROM alerts WHERE ended_at IS NULL") == 0)
    try house.goTo("2026-03-10", "08:45")
    #expect(try house.told() == 1)
    try house.goTo("2026-03-10", "09:05")
    try house.goTo("2026-03-11", "09:05")
    #expect(try house.told() == 2)
    #expect(try house.count("SELECT count(*) FROM alerts WHERE ended_at IS NULL") == 1)
  }

  @Test("An alert that a server refuses to pass on is written again later, never in a circle")
  func lostOnItsWay() throws {
    let (house, gia) = try quiet()
    try house.goTo("2026-03-05", "09:05")
    let observer = house.house.features.checkIn.mailObserver
    for (told, wait) in [(1, Int64.minutes(30)), (2, .hours(2)), (3, .hours(6))] {
      let mail = try #require(
        try house.database.read {
          try $0.first("SELECT mail_id FROM contact_mails WHERE kind = 'alert' AND state = 'sent'")
          { try $0.id(0, QueuedMail.self) }
        })
      try house.house.mailQueue.bounced(
        mail, "550 5.7.1 no", isLost: true, now: house.clock.now(), observers: [observer])
      try house.work()
      #expect(try house.told() == 0)
      house.clock.advance(seconds: wait - 1)
      #expect(try house.told() == 0)
      house.clock.advance(seconds: 2)
      #expect(try house.told() == 1)
      #expect(
        try house.count("SELECT count(*) FROM contact_mails WHERE kind = 'alert'") == told + 1)
    }
    gia.tap()
    try house.work()
    #expect(try house.count("SELECT count(*) FROM alerts") == 1)
    #expect(
      try house.subjects(to: "kai@example.test").last == "[PairSpot] Gia has checked in again")
  }

  @Test("Who tapped while the clock ran ahead is watched once it is right again")
  func tapOnWrongClock() throws {
    let (house, gia) = try quiet()
    let right = house.clock.now()
    house.clock.advance(seconds: .days(30))
    try house.work()
    #expect(try house.told() == 1)
    #expect(gia.tap().status == 303)
    house.clock.set(right.adding(seconds: 600))
    try house.work()
    #expect(try house.problems() == [])
    try house.goTo("2026-03-05", "08:45")
    #expect(try house.told() == 1)
    try house.goTo("2026-03-05", "09:05")
    #expect(try house.told() == 2)
    #expect(gia.tap().status == 303)
    #expect(try house.count("SELECT count(*) FROM alerts WHERE ended_at IS NULL") == 0)
  }

  @Test("The all-clear reaches a contact who was taken off the list, however often one taps")
  func removedContact() throws {
    let (house, gia) = try quiet()
    try house.goTo("2026-03-05", "09:05")
    #expect(try house.subjects(to: "kai@example.test").count == 2)
    let card = try person("Gia", house)
    try house.database.write { writer in
      let contact = try #require(
        try services(house).contacts.all(of: card.id, in: writer.reader).first)
      try ContactDesk(services: services(house)).remove(
        contact, now: house.clock.now(), in: writer)
    }
    gia.begin("Gia", contact: "lee@example.test")
    #expect(gia.tap().status == 303)
    try house.work()
    #expect(try house.subjects(to: "kai@example.test").count == 3)
  }

  @Test(
    "A guest with an open alert becomes a member who has tapped: all is clear, and the next silence counts"
  )
  func mergeWithAlert() throws {
    let house = try TestHouse()
    try house.alone("sam")
    let guest = house.browser()
    guest.begin("Gia", contact: "kai@example.test")
    let sam = try house.signedIn("sam")
    sam.begin("Sam", contact: "lee@example.test")
    try house.goTo("2026-03-04", "12:00")
    sam.tap()
    try house.goTo("2026-03-05", "09:05")
    #expect(try house.subjects(to: "kai@example.test").count == 2)
    #expect(try house.subjects(to: "lee@example.test").count == 1)
    guest.get("/sign-in")
    guest.signIn("sam@example.test", TestHouse.password)
    guest.post("/merge", ["take": "1"])
    try house.work()
    #expect(try house.subjects(to: "kai@example.test").count == 3)
    #expect(try house.count("SELECT count(*) FROM alerts WHERE ended_at IS NULL") == 0)
    try house.goTo("2026-03-07", "09:05")
    #expect(try house.subjects(to: "kai@example.test").count == 4)
    #expect(try house.subjects(to: "lee@example.test").count == 2)
  }

  @Test("Told about as guest and as member of the same silence: everybody hears that all is well")
  func mergeOfTwoAlerts() throws {
    let house = try TestHouse()
    try house.alone("sam")
    let guest = house.browser()
    guest.begin("Gia", contact: "kai@example.test")
    let sam = try house.signedIn("sam")
    sam.begin("Sam", contact: "lee@example.test")
    try add("kai@example.test", to: "Sam", house)
    try house.goTo("2026-03-05", "09:05")
    #expect(try house.told() == 3)
    guest.get("/sign-in")
    guest.signIn("sam@example.test", TestHouse.password)
    guest.post("/merge", ["take": "1"])
    #expect(try house.count("SELECT count(*) FROM alerts") == 1)
    let before = try house.subjects(to: "kai@example.test").count
    guest.tap()
    try house.work()
    #expect(try house.subjects(to: "lee@example.test").count == 3)
    #expect(try house.subjects(to: "kai@example.test").count == before + 1)
    #expect(try house.count("SELECT count(*) FROM alerts WHERE ended_at IS NULL") == 0)
    #expect(try house.problems() == [])
  }
}
