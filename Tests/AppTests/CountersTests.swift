import Accounts
import Basics
import Database
import Foundation
import Jobs
import Logging
import Mail
import Testing
import Web

@testable import App

extension TestHouse {
  /// Every counter of `/metrics` with its label, as its type is declared there.
  func counters(of other: House? = nil) -> [String: Int] {
    let lines = Browser((other ?? house).application).get("/metrics").text.split(separator: "\n")
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
    // Answers and security events are counted besides.
    return values.filter {
      !$0.key.hasPrefix("pairspot_responses_total") && !$0.key.hasPrefix("pairspot_security_")
    }
  }

  /// How far each counter went on meanwhile; those that stood still are left out.
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
    to address: String = "mia@example.test", isNeverGivenUp: Bool = false
  ) throws -> ID<QueuedMail> {
    try database.write {
      try house.mailQueue.add(
        house.trialLetter.written(TrialLetter(baseURL: "http://x"), in: .english),
        to: address, isNeverGivenUp: isNeverGivenUp, now: clock.now(), in: $0)
    }
  }

  /// Has the mails that are due meet a server that fails so.
  func deliver(failing failure: MailFailure) throws {
    let queue = MailQueue(
      database: database, keys: house.keys, sender: Refusing(failure: failure),
      fromName: "PairSpot", from: house.configuration.from)
    try Worker(
      store: house.jobStore,
      kinds: [JobKind(MailQueue.jobKind) { try queue.deliver($0, now: $1) }],
      lane: Lanes.mail, clock: clock, logger: Logger(label: "test")
    ).runDue()
  }
}

/// Takes no mail, for a reason of its own.
private struct Refusing: MailSender {
  let failure: MailFailure

  func send(_ message: MailMessage, returnPath: MailAddress) throws(MailFailure) { throw failure }
}

@Suite("What is counted for the operator, once each")
struct CountersTests {
  /// Something that happens once: what it needs is done before, `now` is what is counted.
  struct Once: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let expected: [String: Int]
    let prepare: @Sendable (TestHouse) throws -> (() throws -> Void)

    init(
      _ what: String, _ expected: [String: Int],
      _ prepare: @escaping @Sendable (TestHouse) throws -> (() throws -> Void)
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
    Once("a guest who checks in", person.merging(tap) { $1 }) { house in
      { #expect(house.browser().begin("Gia", contact: "kai@example.test").status == 303) }
    },
    Once("a guest who joins a group", person) { house in
      try house.alone("lea")
      let lea = try house.signedIn("lea")
      let code = try lea.code(of: lea.makeGroup())
      return { #expect(house.browser().join(code, as: "Gus").status == 303) }
    },
    Once("a guest by the API", person) { house in
      { #expect(house.client().post("/auth/guest").status == 201) }
    },
    Once("a guest who becomes a member", [:]) { house in
      let app = house.client()
      app.post("/auth/guest")
      app.post(
        "/auth/guest/upgrade", ["email": "kim@example.test", "password": TestHouse.password])
      let token = try house.token(to: "kim@example.test")
      return {
        let done = house.client().post(
          "/auth/register/verify", ["token": token, "password": TestHouse.password])
        #expect(done.json["user_id"] is String)
      }
    },
    Once("a member by a page", person) { house in
      let ann = house.browser()
      _ = RegisterCoupleTests.register(ann)
      let link = try house.link(to: "ann@example.test")
      return { try RegisterCoupleTests.complete(ann, link, "Ann") }
    },
    Once("a member by the API", person) { house in
      house.client().post(
        "/auth/register/initiate",
        [
          "email_a": "mei@example.test", "email_b": "jun@example.test", "couple_name": "Mei & Jun",
          "anniversary": "2020-01-17",
        ])
      let verified = house.client().post(
        "/auth/register/verify", ["token": try house.token(to: "mei@example.test")])
      let token = verified.json["completion_token"] as? String ?? ""
      return {
        let done = house.client().post(
          "/auth/register/complete",
          [
            "completion_token": token, "password": TestHouse.password, "display_name": "Mei",
          ])
        #expect(done.status == 200)
      }
    },
    Once("somebody new whom their partner invited", person) { house in
      try house.alone("ann")
      try house.signedIn("ann").invite("new@example.test")
      let link = try house.invitation(to: "new")
      return {
        let browser = house.browser()
        let token = browser.get(link).value(of: "token") ?? ""
        let answer = browser.post(
          "/pair/accept",
          ["token": token, "display_name": "New", "password": TestHouse.password, "accept": "1"])
        #expect(answer.status == 303)
      }
    },
    Once("somebody whom the operator makes staff", person) { house in
      { _ = try house.appoint("ada@example.test", as: .admin) }
    },
    Once("a member who is made staff", [:]) { house in
      try house.alone("sam")
      return { _ = try house.appoint("sam@example.test") }
    },
  ]

  private static let rest = [
    Once("a check-in, however often somebody taps", tap) { house in
      let gia = house.browser()
      gia.begin("Gia", contact: "kai@example.test")
      house.clock.advance(seconds: .days(1))
      return { for _ in 1...2 { gia.tap() } }
    },
    Once("a mail that a server takes", mail("sent")) { house in
      _ = try house.queueMail()
      return { try house.work() }
    },
    Once("a mail that is refused for good", mail("refused")) { house in
      _ = try house.queueMail()
      return { try house.deliver(failing: .refusedRecipient(code: 550, text: "5.1.1 no")) }
    },
    Once("a mail that has to wait", mail("postponed")) { house in
      _ = try house.queueMail()
      return { try house.deliver(failing: .temporary("busy")) }
    },
    Once("a mail that is given up", mail("given_up")) { house in
      _ = try house.queueMail()
      for _ in 1...5 {
        try house.deliver(failing: .temporary("busy"))
        house.clock.advance(seconds: .days(1))
      }
      return { try house.deliver(failing: .temporary("busy")) }
    },
    Once("a mail that comes back, however often it is told", mail("bounced")) { house in
      let id = try house.queueMail()
      try house.work()
      return {
        for _ in 1...2 {
          try house.house.mailQueue.bounced(id, "5.1.1", now: house.clock.now())
        }
      }
    },
  ]

  @Test("What happens once is counted once", arguments: people + rest)
  func once(_ one: Once) throws {
    let house = try TestHouse()
    let happen = try one.prepare(house)
    #expect(try house.counted(happen) == one.expected)
  }

  @Test("An alert is counted when it is raised, and still when the person it was about is gone")
  func alerts() throws {
    let house = try TestHouse()
    try house.watched()
    let grown = try house.counted { try house.goQuiet() }
    #expect(grown["pairspot_alerts_total"] == 1)
    let gone = try house.counted {
      try house.signedIn("mei").leave()
      house.clock.advance(seconds: .days(31))
      try house.work()
    }
    #expect(try house.count("SELECT count(*) FROM alerts") == 0)
    #expect(gone["pairspot_alerts_total"] == nil)
    #expect(house.counters()["pairspot_alerts_total"] == 1)
  }

  @Test("Whoever is asked says what all processes counted")
  func processes() throws {
    let house = try TestHouse()
    try house.watched()
    try house.goQuiet()
    let counted = house.counters()
    #expect(counted["pairspot_people_total"] == 1 && counted["pairspot_alerts_total"] == 1)
    let other = house.counters(of: try house.reopened())
    for name in counted.keys {
      #expect(other[name] == counted[name], "\(name)")
    }
  }

  @Test("What is undone was never counted, and what is not there yet is nought")
  func undone() throws {
    struct Undo: Error {}
    let house = try TestHouse()
    #expect(throws: Undo.self) {
      try house.database.write { writer in
        try Total("pairspot_people_total").count(in: writer)
        throw Undo()
      }
    }
    let counted = house.counters()
    #expect(counted["pairspot_people_total"] == 0 && counted["pairspot_alerts_total"] == 0)
    #expect(counted["pairspot_check_ins_total"] == 0)
    for result in ["sent", "postponed", "refused", "given_up", "bounced"] {
      #expect(counted["pairspot_mails_total{result=\"\(result)\"}"] == 0)
    }
    let gia = house.browser()
    gia.begin("Gia", contact: "kai@example.test")
    house.clock.advance(seconds: .days(1))
    try house.database.write {
      try $0.execute(
        """
        CREATE TRIGGER full BEFORE UPDATE ON checkin_settings
        BEGIN SELECT RAISE(ABORT, 'full'); END
        """)
    }
    #expect(house.counted { gia.tap() } == CheckInFailures.one("error"))
    try house.database.write { try $0.execute("DROP TRIGGER full") }
    #expect(house.counted { gia.tap() } == ["pairspot_check_ins_total": 1])
    // Neither falls, so neither may be drawn as what comes and goes.
    let text = house.browser().get("/metrics").text
    #expect(!text.contains("pairspot_alerts gauge") && !text.contains("pairspot_mails_sent"))
  }
}
