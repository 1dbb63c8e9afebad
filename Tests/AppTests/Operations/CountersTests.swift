import Core
import Database
import Foundation
import Jobs
import Logging
import Mail
import Testing
import Web

@testable import App

extension TestInstance {
  /// Every counter of `/metrics` with its label, by the declared type.
  func counters(of other: Instance? = nil) -> [String: Int] {
    let lines = TestClient((other ?? instance).application).get("/metrics").text.split(
      separator: "\n")
    var counters: Set<Substring> = []
    var values: [String: Int] = [:]
    for line in lines {
      let words = line.split(separator: " ")
      if line.hasPrefix("# TYPE"), words.last == "counter" { counters.insert(words[2]) }
      guard counters.contains(line.prefix { $0 != "{" && $0 != " " }), let last = words.last else {
        continue
      }
      values[String(words[0])] = Int(last)
    }
    // Answers and security events are counted, too.
    return values.filter {
      !$0.key.hasPrefix("pairspot_responses_total") && !$0.key.hasPrefix("pairspot_security_")
    }
  }

  /// Increase of each counter during the body; unchanged ones are left out.
  func counted(_ body: () throws -> Void) rethrows -> [String: Int] {
    let before = counters()
    try body()
    return counters().reduce(into: [:]) { grown, now in
      let more = now.value - (before[now.key] ?? 0)
      if more != 0 { grown[now.key] = more }
    }
  }

  @discardableResult
  func queueMail(
    to address: String = "mia@example.test", retriesForever: Bool = false
  ) throws -> ID<QueuedMail> {
    try database.write {
      try instance.mailQueue.add(
        instance.testMail.written(TestMail(baseURL: "http://x"), in: .english),
        to: address, retriesForever: retriesForever, now: clock.now(), in: $0)
    }
  }

  /// Sends the due mails to a server that fails with this error.
  func deliver(failing failure: MailSendError) throws {
    let queue = MailQueue(
      database: database, keys: instance.keys, sender: Refusing(failure: failure),
      fromName: "PairSpot", from: instance.configuration.from)
    try Worker(
      store: instance.jobStore,
      kinds: [JobKind(MailQueue.jobKind) { try queue.deliver($0, now: $1) }],
      queue: WorkerQueues.mail, clock: clock, logger: Logger(label: "test")
    ).runDue()
  }
}

/// A sender that refuses all mail with this error.
private struct Refusing: MailSender {
  let failure: MailSendError

  func send(_ message: MailMessage, returnPath: MailAddress) throws(MailSendError) { throw failure }
}

@Suite("Counters for the operator, once per event")
struct CountersTests {
  /// A single event: `prepare` runs before, `now` is counted.
  struct Once: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let expected: [String: Int]
    let prepare: @Sendable (TestInstance) throws -> (() throws -> Void)

    init(
      _ what: String, _ expected: [String: Int],
      _ prepare: @escaping @Sendable (TestInstance) throws -> (() throws -> Void)
    ) {
      testDescription = what
      self.expected = expected
      self.prepare = prepare
    }
  }

  private static let person = ["pairspot_people_total": 1]
  private static let tap = ["pairspot_check_ins_total": 1]

  private static func mail(_ results: String...) -> [String: Int] {
    results.reduce(into: [:]) { $0["pairspot_mails_total{result=\"\($1)\"}"] = 1 }
  }

  private static let people = [
    Once("a guest who checks in", person.merging(tap) { $1 }) { instance in
      { #expect(instance.browser().begin("Gia", contact: "kai@example.test").status == 303) }
    },
    Once("a guest who joins a group", person) { instance in
      try instance.alone("lea")
      let lea = try instance.signedIn("lea")
      let code = try lea.code(of: lea.makeGroup())
      return { #expect(instance.browser().join(code, as: "Gus").status == 303) }
    },
    Once("a guest by the API", person) { instance in
      { #expect(instance.client().post("/auth/guest").status == 201) }
    },
    Once("a guest who becomes a member", [:]) { instance in
      let app = instance.client()
      app.post("/auth/guest")
      app.post(
        "/auth/guest/upgrade", ["email": "kim@example.test", "password": TestInstance.password])
      let token = try instance.token(to: "kim@example.test")
      return {
        let done = instance.client().post(
          "/auth/register/verify", ["token": token, "password": TestInstance.password])
        #expect(done.json["user_id"] is String)
      }
    },
    Once("a member by a page", person) { instance in
      let ann = instance.browser()
      _ = RegisterCoupleTests.register(ann)
      let link = try instance.link(to: "ann@example.test")
      return { try RegisterCoupleTests.complete(ann, link, "Ann") }
    },
    Once("a member by the API", person) { instance in
      instance.client().post(
        "/auth/register/initiate",
        [
          "email_a": "mei@example.test", "email_b": "jun@example.test", "couple_name": "Mei & Jun",
          "anniversary": "2020-01-17",
        ])
      let verified = instance.client().post(
        "/auth/register/verify", ["token": try instance.token(to: "mei@example.test")])
      let token = verified.json["completion_token"] as? String ?? ""
      return {
        let done = instance.client().post(
          "/auth/register/complete",
          [
            "completion_token": token, "password": TestInstance.password, "display_name": "Mei",
          ])
        #expect(done.status == 200)
      }
    },
    Once("somebody new whom their partner invited", person) { instance in
      try instance.alone("ann")
      try instance.signedIn("ann").invite("new@example.test")
      let link = try instance.invitation(to: "new")
      return {
        let browser = instance.browser()
        let token = browser.get(link).value(of: "token") ?? ""
        let answer = browser.post(
          "/pair/accept",
          ["token": token, "display_name": "New", "password": TestInstance.password, "accept": "1"])
        #expect(answer.status == 303)
      }
    },
    Once("somebody whom the operator makes staff", person) { instance in
      { _ = try instance.appoint("ada@example.test", as: .admin) }
    },
    Once("a member who is made staff", [:]) { instance in
      try instance.alone("sam")
      return { _ = try instance.appoint("sam@example.test") }
    },
  ]

  private static let rest = [
    Once("a check-in, however often somebody taps", tap) { instance in
      let gia = instance.browser()
      gia.begin("Gia", contact: "kai@example.test")
      instance.clock.advance(seconds: .days(1))
      return { for _ in 1...2 { gia.tap() } }
    },
    Once("a mail that a server takes", mail("sent")) { instance in
      _ = try instance.queueMail()
      return { try instance.work() }
    },
    Once("a mail that is refused for good", mail("refused")) { instance in
      _ = try instance.queueMail()
      return { try instance.deliver(failing: .refusedRecipient(code: 550, text: "5.1.1 no")) }
    },
    Once("a mail that has to wait", mail("postponed")) { instance in
      _ = try instance.queueMail()
      return { try instance.deliver(failing: .temporary("busy")) }
    },
    Once("a mail that is given up", mail("given_up")) { instance in
      _ = try instance.queueMail()
      for _ in 1...5 {
        try instance.deliver(failing: .temporary("busy"))
        instance.clock.advance(seconds: .days(1))
      }
      return { try instance.deliver(failing: .temporary("busy")) }
    },
    Once("a mail that comes back, however often it is told", mail("bounced")) { instance in
      let id = try instance.queueMail()
      try instance.work()
      return {
        for _ in 1...2 {
          try instance.instance.mailQueue.bounced(id, "5.1.1", now: instance.clock.now())
        }
      }
    },
  ]

  @Test("One event is counted once", arguments: people + rest)
  func once(_ one: Once) throws {
    let instance = try TestInstance()
    let happen = try one.prepare(instance)
    #expect(try instance.counted(happen) == one.expected)
  }

  @Test("An alert is counted when it is raised, and still when the person it was about is gone")
  func alerts() throws {
    let instance = try TestInstance()
    try instance.watched()
    let grown = try instance.counted { try instance.goQuiet() }
    #expect(grown["pairspot_alerts_total"] == 1)
    let gone = try instance.counted {
      try instance.signedIn("mei").leave()
      instance.clock.advance(seconds: .days(31))
      try instance.work()
    }
    #expect(try instance.count("SELECT count(*) FROM alerts") == 0)
    #expect(gone["pairspot_alerts_total"] == nil)
    #expect(instance.counters()["pairspot_alerts_total"] == 1)
  }

  @Test("Every process reports the counts of all processes")
  func processes() throws {
    let instance = try TestInstance()
    try instance.watched()
    try instance.goQuiet()
    let counted = instance.counters()
    #expect(counted["pairspot_people_total"] == 1 && counted["pairspot_alerts_total"] == 1)
    let other = instance.counters(of: try instance.reopened())
    for name in counted.keys {
      #expect(other[name] == counted[name], "\(name)")
    }
  }

  @Test("A rolled-back event is not counted, and a missing counter is 0")
  func undone() throws {
    struct Undo: Error {}
    let instance = try TestInstance()
    #expect(throws: Undo.self) {
      try instance.database.write { writer in
        try PersistentCounter("pairspot_people_total", "").count(in: writer)
        throw Undo()
      }
    }
    let counted = instance.counters()
    #expect(counted["pairspot_people_total"] == 0 && counted["pairspot_alerts_total"] == 0)
    #expect(counted["pairspot_check_ins_total"] == 0)
    for result in ["sent", "postponed", "refused", "given_up", "bounced"] {
      #expect(counted["pairspot_mails_total{result=\"\(result)\"}"] == 0)
    }
    let gia = instance.browser()
    gia.begin("Gia", contact: "kai@example.test")
    instance.clock.advance(seconds: .days(1))
    try instance.migrate(
      """
      CREATE TRIGGER disk_full BEFORE UPDATE ON checkin_settings
      BEGIN SELECT RAISE(ABORT, 'full'); END
      """)
    #expect(instance.counted { gia.tap() } == CheckInFailures.one("error"))
    try instance.migrate("DROP TRIGGER disk_full")
    #expect(instance.counted { gia.tap() } == ["pairspot_check_ins_total": 1])
    // Neither decreases, so both must be counters, not gauges.
    let text = instance.browser().get("/metrics").text
    #expect(!text.contains("pairspot_alerts gauge") && !text.contains("pairspot_mails_sent"))
  }
}
