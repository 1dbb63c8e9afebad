import Core
import Database
import Foundation
import HTTPTypes
import Mail
import Testing

@testable import App
@testable import CheckIn

@Suite("A watchman sends the alerts of a silent server")
struct WatchmanTests {
  /// Mei, who checked in at 08:00, with Ming and Lin as contacts: the alert is due three days and an
  /// hour later.
  private func pair() throws -> (WatchmanPair, ID<Person>) {
    let pair = try WatchmanPair()
    let person = try pair.server.watched(by: ["ming", "lin"])
    try pair.pass(.minutes(30))
    return (pair, person)
  }

  private func listed(_ pair: WatchmanPair) throws -> Int {
    try pair.database.read { try $0.count("SELECT count(*) FROM watched_alerts") }
  }

  @Test("While the server answers, it alone sends")
  func answering() throws {
    let (pair, _) = try pair()
    #expect(try listed(pair) == 1)
    try pair.pass(.days(4))
    #expect(try pair.alerts(to: "ming") == [1, 0])
    #expect(try pair.alerts(to: "lin") == [1, 0])
    #expect(try listed(pair) == 0)
    #expect(pair.mail.sent.isEmpty)
  }

  @Test("After two hours of silence the operator is told, and again when it answers")
  func operatorIsTold() throws {
    let (pair, _) = try pair()
    pair.stopServer()
    try pair.pass(.minutes(90))
    #expect(pair.mail.sent.isEmpty)
    try pair.pass(.minutes(60))
    #expect(pair.mail.sent.map(\.subject) == ["http://127.0.0.1:8099 doesn’t answer"])
    #expect(pair.mail.sent[0].text.contains("0 within a day"))
    #expect(pair.channels.sent.count == 1)
    try pair.pass(.hours(10))
    #expect(pair.mail.sent.count == 1)
    pair.startServer()
    try pair.pass(.minutes(30))
    #expect(pair.mail.sent.last?.subject == "http://127.0.0.1:8099 answers again")
    #expect(pair.channels.sent.count == 2)
  }

  @Test("A server that dies before the alert is due: the watchman sends it, and says so")
  func dead() throws {
    let (pair, person) = try pair()
    try pair.pass(.days(2))
    pair.stopServer()
    try pair.pass(.hours(24) + WatchmanPair.grace)
    #expect(try pair.alerts(to: "ming") == [0, 0])
    try pair.pass(.hours(1))
    #expect(try pair.alerts(to: "ming") == [0, 1])
    #expect(try pair.alerts(to: "lin") == [0, 1])
    let mail = try #require(pair.mail.sent.last)
    #expect(mail.subject == "[PairSpot] About Mei's check-in, from the watchman")
    #expect(mail.text.contains("This email comes from the watchman"))
    #expect(mail.text.contains("hasn’t answered since"))
    try pair.pass(.days(1))
    #expect(try pair.alerts(to: "ming") == [0, 1])

    // The server sends nothing a second time, and the all-clear goes to those who were told.
    pair.startServer()
    try pair.pass(.minutes(30))
    #expect(try pair.server.number("SELECT count(*) FROM contact_mails WHERE by_watchman = 1") == 2)
    let record = try pair.server.signedIn("mei").get(CheckInLinks.record)
    #expect(record.shows("The alert was sent to Ming by the watchman"))
    #expect(record.shows("3 days") || record.shows("missed"))
    #expect(try pair.alerts(to: "ming") == [0, 1])
    try pair.server.tap(person)
    try pair.pass(.minutes(30))
    let clear = try pair.server.number(
      "SELECT count(*) FROM contact_mails WHERE kind = 'all-clear' AND state = 'sent'")
    #expect(clear == 2)
    #expect(try pair.server.problems() == [])
  }

  @Test("A check-in while the server answered is known to the watchman")
  func checkedIn() throws {
    let (pair, person) = try pair()
    try pair.pass(.days(2))
    try pair.server.tap(person)
    try pair.pass(.minutes(30))
    pair.stopServer()
    try pair.pass(.hours(48))
    #expect(try pair.alerts(to: "ming") == [0, 0])
  }

  @Test("A server that returns holds alerts until the watchman has asked")
  func settling() throws {
    let (pair, _) = try pair()
    try pair.pass(.days(2))
    pair.stopServer()
    try pair.pass(.hours(48))
    #expect(try pair.alerts(to: "ming") == [0, 1])
    // It runs again, but the watchman does not reach it.
    pair.isServerUp = true
    try pair.pass(.minutes(90))
    #expect(try pair.alerts(to: "ming") == [0, 1])
    pair.link.set(.open)
    // The daily repeat is the server's.
    try pair.pass(.hours(25))
    #expect(try pair.alerts(to: "ming") == [1, 1])
  }

  @Test("Without the watchman's questions the server sends by itself, two hours later")
  func deadWatchman() throws {
    let (pair, _) = try pair()
    try pair.pass(.days(2))
    pair.isWatchmanUp = false
    try pair.pass(.hours(26))
    #expect(try pair.alerts(to: "ming") == [1, 0])
  }

  @Test("A mail that the watchman could not send yet is sent when the mail server is back")
  func deadMailServer() throws {
    let (pair, _) = try pair()
    try pair.pass(.days(2))
    pair.stopServer()
    pair.mail.setDown(true)
    try pair.pass(.hours(40))
    pair.startServer()
    try pair.pass(.minutes(60))
    // It is still the watchman's: the server knows that it waits there.
    #expect(try pair.alerts(to: "ming") == [0, 0])
    pair.mail.setDown(false)
    try pair.pass(.minutes(60))
    #expect(try pair.alerts(to: "ming") == [0, 1])
    try pair.pass(.minutes(60))
    let open = try pair.database.read {
      try $0.count("SELECT count(*) FROM told_alerts WHERE is_settled = 0")
    }
    #expect(open == 0)
    // Names and addresses are needed no more.
    let sealed = try pair.database.read {
      try $0.count("SELECT count(*) FROM told_alerts WHERE sealed <> x''")
    }
    #expect(sealed == 0)
  }

  @Test("What a watchman was to send when it died for good, the server sends two hours later")
  func deadForGood() throws {
    let (pair, _) = try pair()
    try pair.pass(.days(2))
    pair.stopServer()
    pair.mail.setDown(true)
    try pair.pass(.hours(40))
    pair.startServer()
    try pair.pass(.minutes(30))
    pair.isWatchmanUp = false
    try pair.pass(.hours(2))
    #expect(try pair.alerts(to: "ming") == [0, 0])
    try pair.pass(.hours(1))
    #expect(try pair.alerts(to: "ming") == [1, 0])
    // It comes back, and learns that its mail is not wanted any more.
    pair.mail.setDown(false)
    pair.isWatchmanUp = true
    try pair.pass(.hours(1))
    #expect(try pair.alerts(to: "ming") == [1, 0])
  }

  @Test("While no mail server is reached, one mail a look is tried, and the other way goes at once")
  func secondWay() throws {
    let pair = try WatchmanPair()
    let person = try pair.server.watched(by: ["ming", "lin"])
    try pair.server.database.write { writer in
      let contact = try #require(
        try pair.server.checkIn.contacts.all(of: person, in: writer).last)
      try pair.server.checkIn.channels.add(
        ID<ContactChannel>(now: pair.time), to: contact, offer: "sms", recipient: "+886912345678",
        in: writer)
      try writer.execute("UPDATE contact_channels SET proven_at = \(pair.time)")
    }
    try pair.pass(.days(2))
    pair.stopServer()
    pair.mail.setDown(true)
    try pair.pass(.hours(25) + WatchmanPair.grace)
    #expect(pair.channels.sent.contains { $0.body.contains("Please check on them now.") })
    let tried = try pair.database.read {
      try $0.count("SELECT count(*) FROM messages WHERE alert_id IS NOT NULL AND attempts > 0")
    }
    #expect(tried < 3)
  }

  @Test("A watchman that went back to an older list gets all of it again")
  func restoredWatchman() throws {
    let (pair, person) = try pair()
    let version = try pair.database.read { try $0.count("SELECT version FROM server") }
    try pair.pass(.days(2))
    try pair.server.tap(person)
    try pair.pass(.minutes(30))
    try pair.database.write {
      try $0.execute("UPDATE server SET version = \(version)")
      try $0.execute("UPDATE watched_alerts SET moment = 0")
    }
    try pair.pass(.minutes(30))
    let old = try pair.database.read {
      try $0.count("SELECT count(*) FROM watched_alerts WHERE moment = 0")
    }
    #expect(old == 0)
  }

  @Test("While the server holds alerts after an outage of its own, so does the watchman")
  func held() throws {
    let (pair, _) = try pair()
    try pair.pass(.days(2))
    // Off for a day: the alert is held for another one.
    pair.isWatchmanUp = false
    pair.stopServer()
    try pair.pass(.hours(30))
    pair.isWatchmanUp = true
    pair.startServer()
    try pair.pass(.hours(3))
    #expect(try pair.alerts(to: "ming") == [0, 0])
    pair.stopServer()
    try pair.pass(.hours(20))
    #expect(try pair.alerts(to: "ming") == [0, 0])
    try pair.pass(.hours(24))
    #expect(try pair.alerts(to: "ming") == [0, 1])
  }

  @Test("Once a contact has reached the user, what waits at the watchman is not sent")
  func reached() throws {
    let (pair, _) = try pair()
    try pair.pass(.days(2))
    pair.stopServer()
    pair.mail.setDown(true)
    try pair.pass(.hours(40))
    pair.startServer()
    try pair.pass(.minutes(30))
    try pair.server.database.write {
      _ = try AlertService(services: pair.server.checkIn).reached(
        by: pair.server.contact("lin"), now: pair.server.clock.now(), in: $0)
    }
    try pair.pass(.minutes(30))
    pair.mail.setDown(false)
    try pair.pass(.hours(2))
    #expect(try pair.alerts(to: "ming") == [0, 0])
  }

  @Test("What waits at the watchman is not sent to a contact who was removed")
  func removed() throws {
    let (pair, _) = try pair()
    try pair.pass(.days(2))
    pair.stopServer()
    pair.mail.setDown(true)
    try pair.pass(.hours(40))
    pair.startServer()
    try pair.pass(.minutes(30))
    let ming = try pair.server.contact("ming")
    try pair.server.database.write {
      try ContactService(services: pair.server.checkIn).remove(
        ming, now: pair.server.clock.now(), in: $0)
    }
    try pair.pass(.minutes(30))
    pair.mail.setDown(false)
    try pair.pass(.hours(2))
    #expect(try pair.alerts(to: "ming") == [0, 0])
    #expect(try pair.alerts(to: "lin").contains(1))
  }

  @Test("A check-in recalls what the watchman has not sent yet")
  func recall() throws {
    let (pair, person) = try pair()
    try pair.pass(.days(2))
    pair.stopServer()
    pair.mail.setDown(true)
    try pair.pass(.hours(40))
    pair.startServer()
    try pair.pass(.minutes(30))
    try pair.server.tap(person)
    try pair.pass(.minutes(30))
    pair.mail.setDown(false)
    try pair.pass(.hours(2))
    #expect(try pair.alerts(to: "ming") == [0, 0])
  }

  @Test(
    "A clock that is a day ahead or behind neither causes an alert nor prevents one",
    arguments: [-1, 1])
  func wrongClock(days: Int64) throws {
    let (pair, _) = try pair()
    try pair.pass(.days(2))
    pair.stopServer()
    pair.watchmanError = .days(days)
    try pair.pass(.hours(24) + WatchmanPair.grace)
    #expect(try pair.alerts(to: "ming") == [0, 0])
    try pair.pass(.hours(1))
    #expect(try pair.alerts(to: "ming") == [0, 1])
  }

  @Test("Without a second clock no alert is sent")
  func noSecondClock() throws {
    let (pair, _) = try pair()
    try pair.pass(.days(2))
    pair.stopServer()
    pair.others.set(errors: [])
    try pair.pass(.hours(48))
    #expect(try pair.alerts(to: "ming") == [0, 0])
    pair.others.set(errors: [.days(20), 0])
    try pair.pass(.minutes(30))
    #expect(try pair.alerts(to: "ming") == [0, 1])
  }

  @Test("The watchman learns that a user was erased")
  func erased() throws {
    let (pair, person) = try pair()
    try pair.server.database.write { writer in
      let now = pair.server.clock.now()
      try writer.execute("UPDATE users SET deleted_at = \(now) WHERE id = \(person)")
      _ = try CheckInParticipant(services: pair.server.checkIn).purge(person, now: now, in: writer)
    }
    try pair.pass(.minutes(30))
    #expect(try listed(pair) == 0)
  }

  @Test("A timer's alert is sent too, with its note")
  func timer() throws {
    let (pair, person) = try pair()
    let card = try pair.server.card(person)
    try pair.server.database.write {
      try TimerService(services: pair.server.checkIn).start(
        minutes: 60, graceMinutes: 15, note: "On the mountain", of: card,
        now: pair.server.clock.now(), in: $0)
    }
    try pair.pass(.minutes(30))
    pair.stopServer()
    try pair.pass(.hours(14))
    #expect(try pair.alerts(to: "ming") == [0, 1])
    let mail = try #require(pair.mail.sent.last)
    #expect(mail.subject.contains("isn’t back in time"))
    #expect(mail.text.contains("On the mountain"))
    pair.startServer()
    try pair.pass(.hours(3))
    #expect(try pair.alerts(to: "ming") == [0, 1])
    #expect(try pair.server.problems() == [])
  }

  @Test("Questions need the key, and wrong ones are limited")
  func key() throws {
    let server = try TestInstance(limits: true, hasWatchman: true)
    func ask(_ credential: String, _ body: String = "{}") -> Int {
      server.browser().send(
        .post, Watchman.path, headers: [.authorization: "Bearer \(credential)"],
        body: Array(body.utf8)
      ).status
    }
    let key = try #require(server.checkIn.watchmanKey)
    #expect(ask(Watchman.credential(key)) == 400)
    for _ in 0..<30 { #expect(ask("wrong") == 401) }
    #expect(ask("wrong") == 429)
    #expect(try TestInstance().browser().send(.post, Watchman.path).status == 404)
  }

  @Test("Nothing on the list can be read without the key")
  func sealed() throws {
    let (pair, _) = try pair()
    let all = try pair.database.read {
      try $0.values("SELECT sealed FROM watched_alerts", as: [UInt8].self)
    }
    let text = all.map { String(decoding: $0, as: UTF8.self) }.joined()
    #expect(!all.isEmpty && !text.contains("ming") && !text.contains("Mei"))
  }

  @Test(
    "The time is that on which two clocks agree",
    arguments: [
      ([0], nil), ([0, 0], 0), ([0, 500], 0), ([0, 601], nil), ([86_400, 0, 60], 0),
      ([-86_400, 30, 0], 0), ([0, 86_400, -86_400], nil),
    ] as [([Int64], Int64?)])
  func time(offsets: [Int64], agreed: Int64?) {
    let clocks = offsets.map { TestInstance.start.adding(seconds: $0) }
    #expect(
      WatchmanTime.agreed(own: clocks[0], others: Array(clocks.dropFirst()))
        == agreed.map { TestInstance.start.adding(seconds: $0) })
  }
}
