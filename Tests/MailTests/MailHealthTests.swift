import Core
import Testing

@testable import Mail

@Suite("Whether mail leaves")
struct MailHealthTests {
  private let office: FakeMailServer

  init() throws { office = try FakeMailServer() }

  private var currentIssue: MailServerIssue? {
    get throws { try MailHealth(database: office.database).currentIssue(now: office.clock.now()) }
  }

  @Test("Red while the last attempt of a waiting mail was refused because of us, by any server")
  func refusedUs() throws {
    try office.add()
    office.sender.fail(.temporary("busy"))
    office.sender.fail(.refusedUs("535 5.7.8 <mei@example.test> no"), times: 2)
    try office.work()
    #expect(try currentIssue == nil)
    for seconds in [60, 300] as [Int64] {
      try office.work(after: seconds)
      #expect(try currentIssue == .refusedUs(since: office.clock.now()))
    }
    try office.work(after: 1800)
    #expect(try currentIssue == nil)
  }

  @Test("Red until a server takes a mail, also after the refused one is gone")
  func untilTaken() throws {
    let id = try office.add()
    office.sender.fail(.refusedUs("535 no"))
    office.sender.fail(.temporary("busy"))
    try office.work()
    let seen = office.clock.now()
    #expect(try currentIssue == .refusedUs(since: seen))
    try office.work(after: 60)
    #expect(try currentIssue == .refusedUs(since: seen))
    try office.database.write { try office.queue.cancel([id], in: $0) }
    #expect(try currentIssue == .refusedUs(since: seen))
    try office.add("sam@example.test")
    try office.work()
    #expect(try currentIssue == nil)
  }

  @Test("Given up for a refusal of us, a mail still alarms, until a trial mail goes out")
  func givenUp() throws {
    try office.add()
    office.sender.fail(.refusedUs("535 no"), times: 11)
    for _ in 0..<(4 * 24) { try office.work(after: .hours(1)) }
    #expect(try office.results()["given_up"] == 1)
    guard case .refusedUs = try currentIssue else {
      Issue.record("\(String(describing: try currentIssue))")
      return
    }
    func sendTrial() throws {
      try office.queue.sendNow(
        MailContent(subject: "a", text: "b", html: "c", language: .english, headers: []),
        to: try MailAddress("me@example.test"), now: office.clock.now())
    }
    office.sender.fail(.refusedUs("535 no"))
    #expect(throws: MailSendError.self) { try sendTrial() }
    #expect(try currentIssue != nil)
    try sendTrial()
    #expect(try currentIssue == nil)
  }

  @Test("Red once no server was reached for a quarter of an hour, and until one is")
  func unreachable() throws {
    try office.add()
    let began = office.clock.now()
    office.sender.fail(.unreachable("connection refused"), times: 12)
    try office.work()
    for seconds in [60, 300, 539] as [Int64] {
      try office.work(after: seconds)
      #expect(try currentIssue == nil)
    }
    try office.work(after: 1)
    #expect(try currentIssue == .unreachable(since: began))
    // The mail is given up, and there is still no server.
    for _ in 0..<(4 * 24) { try office.work(after: .hours(1)) }
    #expect(try office.results()["given_up"] == 1)
    #expect(try currentIssue == .unreachable(since: began))
    // The server is up, but temporarily refuses mail.
    office.sender.fail(.temporary("451 4.7.1 later"))
    try office.add()
    try office.work()
    #expect(try currentIssue == nil)
  }

  @Test("A server that is down for a short time now and then raises no alarm")
  func shortAbsences() throws {
    for _ in 1...4 {
      try office.add()
      office.sender.fail(.unreachable("connection refused"), times: 2)
      for seconds in [0, 60, 300] as [Int64] { try office.work(after: seconds) }
      #expect(try currentIssue == nil)
    }
    office.clock.advance(seconds: .hours(1))
    #expect(try currentIssue == nil)
  }

  @Test("Red when a mail that is never given up has waited for 3 days, until it goes out")
  func neverGivenUp() throws {
    try office.add("sam@example.test")
    try office.add(retriesForever: true)
    let began = office.clock.now()
    office.sender.fail(.temporary("down"), times: 30)
    for _ in 0..<71 { try office.work(after: .hours(1)) }
    #expect(try currentIssue == nil)
    try office.work(after: .hours(1))
    #expect(try currentIssue == .waits(since: began))
    for _ in 0..<(30 * 24) { try office.work(after: .hours(1)) }
    #expect(try office.observer.words(in: office.database).last == "sent")
    #expect(try currentIssue == nil)
  }

  @Test("A refusal of the recipient is not our error, however old the mail")
  func refused() throws {
    try office.add(retriesForever: true)
    office.sender.fail(.refusedRecipient(code: 550, text: "5.1.1 no"))
    try office.work()
    office.clock.advance(seconds: .days(4))
    #expect(try currentIssue == nil)
  }

  @Test("Every result is counted under a name that the metrics know")
  func counts() throws {
    let health = MailHealth(database: office.database)
    let id = try office.add()
    try office.work()
    try office.queue.bounced(id, "5.1.1", now: office.clock.now())
    for failure in [MailSendError.temporary("x"), .refusedRecipient(code: 550, text: "5.1.1")] {
      try office.add()
      office.sender.fail(failure)
      try office.work()
    }
    let counted = try MailHealth.results.map { try health.count(of: $0) }
    #expect(counted == [1, 1, 1, 0, 1])
    #expect(Set(try office.results().keys).isSubset(of: MailHealth.results))
    #expect(try health.waiting() == 1)
  }
}
