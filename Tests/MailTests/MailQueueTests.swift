import Core
import Database
import Foundation
import Jobs
import Testing

@testable import Mail

@Suite("The queue of mails")
struct MailQueueTests {
  private let office: FakeMailServer

  init() throws { office = try FakeMailServer() }

  private var notes: [String] {
    get throws { try office.observer.words(in: office.database) }
  }

  @Test("A mail is sent once, under its own id, and its observer is notified")
  func once() throws {
    let id = try office.add()
    try office.work()
    try office.work(after: .days(1))
    let sent = try #require(office.sender.tried.first)
    #expect(office.sender.tried.count == 1)
    #expect(sent.message.messageID == "\(id)@pairspot.example")
    #expect(sent.message.to.description == "mei@example.test")
    #expect(sent.message.from.description == "home@pairspot.example")
    #expect(office.queue.returnAddress.mail(comingBackTo: sent.returnPath.description) == id)
    #expect(try notes == ["sent"])
    #expect(try office.results() == ["sent": 1])
    #expect(try office.queue.waiting().count == 0)
  }

  @Test("Each failed attempt is reported with the time of the next, under the same Message-ID")
  func postponed() throws {
    try office.add()
    office.sender.fail(.temporary("busy"), times: 2)
    office.sender.fail(.refusedUs("535 no"))
    for seconds in [0, 60, 300, 1800] as [Int64] { try office.work(after: seconds) }
    #expect(
      try notes == [
        "postponed 60 s: busy", "postponed 300 s: busy",
        "postponed 1800 s: we were refused: 535 no",
        "sent",
      ])
    #expect(Set(office.sender.tried.map { $0.message.rendered() }).count == 1)
    #expect(Set(office.sender.tried.map(\.returnPath)).count == 1)
    #expect(try office.results() == ["postponed": 3, "sent": 1])
  }

  @Test("A mail server down for a day gets the mail at the next turn of the plan, once")
  func downForADay() throws {
    try office.add()
    office.sender.fail(.temporary("no connection"), times: 6)
    for _ in 0..<(24 * 60) { try office.work(after: 60) }
    #expect(try notes.last == "sent")
    #expect(office.sender.tried.count == 7)
  }

  @Test("A refusal of the recipient is final, for every mail", arguments: [true, false])
  func refused(retriesForever: Bool) throws {
    try office.add(retriesForever: retriesForever)
    office.sender.fail(.refusedRecipient(code: 550, text: "5.1.1 <mei@example.test> unknown"))
    try office.work()
    try office.work(after: .days(4))
    #expect(try notes == ["refused: recipient refused (550): 5.1.1 … unknown"])
    #expect(office.sender.tried.count == 1)
    #expect(try office.queue.waiting().count == 0)
    #expect(try office.count("SELECT count(*) FROM jobs") == 0)
  }

  @Test("An address that is none is refused, and nothing is tried for ever")
  func noAddress() throws {
    try office.add("mei at home", retriesForever: true)
    try office.work()
    #expect(try notes.first?.hasPrefix("refused: ") == true)
    #expect(office.sender.tried.isEmpty)
    #expect(try office.count("SELECT count(*) FROM jobs") == 0)
  }

  @Test("After 3 days of the plan a mail is given up, and is purged a week later")
  func givenUp() throws {
    try office.add()
    office.sender.fail(.temporary("down"), times: 100)
    for _ in 0..<(5 * 24) { try office.work(after: .hours(1)) }
    #expect(try notes.count == office.sender.tried.count)
    #expect(try notes.last == "given up: down")
    #expect(try notes.filter { $0.hasPrefix("given up") }.count == 1)
    #expect(try office.queue.waiting().count == 0)
    office.clock.advance(seconds: .days(6))
    try office.queue.purge(now: office.clock.now())
    #expect(try office.count("SELECT count(*) FROM mail_queue") == 0)
  }

  @Test("A mail that is never given up is tried daily from the third day on, until it goes out")
  func neverGivenUp() throws {
    try office.add(retriesForever: true)
    office.sender.fail(.temporary("down"), times: 40)
    for _ in 0..<(60 * 24) { try office.work(after: .hours(1)) }
    let notes = try notes
    #expect(notes.last == "sent" && notes.count == 41)
    #expect(notes.dropLast().allSatisfy { $0.hasPrefix("postponed") })
    #expect(notes.dropLast().suffix(25).allSatisfy { $0.hasPrefix("postponed 86400 s") })
  }

  @Test("A cancelled mail never goes out; one that went out stays as it is")
  func cancelled() throws {
    let early = try office.add()
    try office.work()
    let late = try office.add()
    try office.database.write { try office.queue.cancel([early, late], in: $0) }
    try office.work(after: 60)
    #expect(office.sender.tried.count == 1)
    #expect(try office.count("SELECT count(*) FROM mail_queue") == 1)
    #expect(try office.count("SELECT count(*) FROM jobs") == 0)
  }

  @Test("A mail cancelled between two attempts is not tried again")
  func cancelledBetween() throws {
    let id = try office.add(retriesForever: true)
    office.sender.fail(.temporary("busy"))
    try office.work()
    try office.database.write { try office.queue.cancel([id], in: $0) }
    try office.work(after: .days(9))
    #expect(office.sender.tried.count == 1)
    #expect(try notes.count == 1)
  }

  // MARK: One transaction

  @Test("An observer that throws undoes mark, note and count, and the mail is not sent again")
  func throwingOnSuccess() throws {
    try office.add()
    office.observer.refuse(times: 3)
    try office.work()
    #expect(try notes == [])
    #expect(try office.results() == [:])
    #expect(try office.queue.waiting().count == 1)
    for _ in 0..<10 { try office.work(after: .hours(1)) }
    #expect(try notes == ["sent"])
    #expect(try office.results() == ["sent": 1])
    #expect(office.sender.tried.count == 1)
  }

  @Test("An observer that throws over a failure undoes its mark; the mail is tried again")
  func throwingOnFailure() throws {
    try office.add()
    office.sender.fail(.refusedRecipient(code: 550, text: "5.1.1 no"))
    office.observer.refuse(times: 1)
    try office.work()
    #expect(try notes == [])
    #expect(try office.count("SELECT count(*) FROM mail_queue WHERE failed_at IS NULL") == 1)
    try office.work(after: 60)
    #expect(try notes == ["sent"])
  }

  @Test("A worker that dies between sending and marking sends once more, under the same id")
  func crash() throws {
    try office.add()
    // The state left by a dead worker: the mail sent, nothing marked, the lease running.
    try office.database.write {
      try $0.execute(
        """
        CREATE TRIGGER dying BEFORE UPDATE ON mail_queue
        BEGIN SELECT raise(ABORT, 'gone'); END
        """)
    }
    try office.work()
    try office.database.write { try $0.execute("DROP TRIGGER dying") }
    try office.work(after: .minutes(5))
    try office.work(after: .days(1))
    #expect(office.sender.tried.count == 2)
    #expect(Set(office.sender.tried.map(\.message.messageID)).count == 1)
    #expect(try notes == ["sent"])
  }

  // MARK: Bounces

  @Test("A bounced mail is reported once, without the address that the server repeats")
  func bounced() throws {
    let id = try office.add()
    try office.work()
    for _ in 0..<2 {
      try office.queue.bounced(
        id, "550 5.1.1\r\n <mei@example.test> unknown", now: office.clock.now(),
        observers: [office.observer])
    }
    #expect(try notes.count == 2)
    #expect(try notes.last?.hasPrefix("bounced: 550 5.1.1") == true)
    #expect(try notes.last?.contains("mei") == false)
    #expect(try office.results() == ["sent": 1, "bounced": 1])
  }

  @Test("One that comes back before it was marked as sent is not sent again")
  func bouncedEarly() throws {
    let id = try office.add(retriesForever: true)
    office.sender.fail(.temporary("connection lost after DATA"))
    try office.work()
    try office.queue.bounced(
      id, "5.1.1", now: office.clock.now(), observers: [office.observer])
    try office.work(after: .days(2))
    #expect(office.sender.tried.count == 1)
    #expect(try notes.last == "bounced: 5.1.1")
  }

  @Test("One that comes back while it is being sent stays a bounce for its observer")
  func bouncedMeanwhile() throws {
    let id = try office.add()
    let (queue, observer, now) = (office.queue, office.observer, office.clock.now())
    office.sender.meanwhile {
      try? queue.bounced(id, "5.1.1", now: now, observers: [observer])
    }
    try office.work()
    try office.work(after: .days(1))
    #expect(try notes == ["bounced: 5.1.1"])
    #expect(try office.results() == ["bounced": 1, "sent": 1])
    #expect(office.sender.tried.count == 1)
  }

  @Test("A mail cancelled during sending was sent all the same, and is reported so")
  func cancelledMeanwhile() throws {
    let id = try office.add()
    let (queue, database) = (office.queue, office.database)
    office.sender.meanwhile {
      try? database.write { try queue.cancel([id], in: $0) }
    }
    try office.work()
    #expect(try notes == ["sent"])
    #expect(try office.count("SELECT count(*) FROM jobs") == 0)
  }

  @Test("One that is cancelled while its sending fails is over without a word")
  func cancelledFailing() throws {
    let id = try office.add(retriesForever: true)
    let (queue, database) = (office.queue, office.database)
    office.sender.fail(.temporary("busy"))
    office.sender.meanwhile {
      try? database.write { try queue.cancel([id], in: $0) }
    }
    try office.work()
    try office.work(after: .days(1))
    #expect(try notes == [])
    #expect(office.sender.tried.count == 1)
  }

  @Test("A bounce of a purged mail is reported all the same")
  func bouncedLate() throws {
    let id = try office.add()
    try office.work()
    office.clock.advance(seconds: .days(8))
    try office.queue.purge(now: office.clock.now())
    try office.queue.bounced(
      id, "5.2.1", now: office.clock.now(), observers: [office.observer])
    #expect(try notes == ["sent", "bounced: 5.2.1"])
  }

  @Test("An observer that throws on a bounce gets it again")
  func throwingOnBounce() throws {
    let id = try office.add()
    try office.work()
    office.observer.refuse(times: 1)
    #expect(throws: Notebook.Refused.self) {
      try office.queue.bounced(
        id, "5.1.1", now: office.clock.now(), observers: [office.observer])
    }
    #expect(try notes == ["sent"])
    try office.queue.bounced(
      id, "5.1.1", now: office.clock.now(), observers: [office.observer])
    #expect(try notes == ["sent", "bounced: 5.1.1"])
  }
}
