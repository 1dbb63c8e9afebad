import Core
import Database
import Foundation
import Mail

@testable import App
@testable import CheckIn

/// People who check in or fall silent at a server with a watchman, while the server is off for up to
/// a day, the watchman or the network for less than the two hours that the server waits for it, both
/// mail servers fail, answers are lost, and clocks are wrong by up to a day. The same seed gives the
/// same schedule.
final class WatchmanSimulation {
  /// How long everything may fail, and then how long nothing does, in s.
  static let chaos: Int64 = .hours(130)
  static let calm: Int64 = .hours(60)
  static let grace: Int64 = .hours(4)

  private struct Member {
    let id: ID<Person>
    let contacts: [String]
    var taps: [Instant]
    var lastTap: Instant
  }

  private enum Part: CaseIterable {
    case server
    case watchman
    case network
    case serverMail
    case watchmanMail
    case serverClock
    case watchmanClock
  }

  private let pair: WatchmanPair
  private let begin: Instant
  private var numbers: SeededNumbers
  private var people: [Member] = []
  private var untilWhen: [Part: Instant] = [:]
  private(set) var violations: [String] = []
  private var known = 0
  private var knownOfServer: Set<ID<QueuedMail>> = []
  private var hasSkewed = false
  private(set) var byServer = 0
  private(set) var byWatchman = 0

  init(seed: UInt64, people count: Int) throws {
    numbers = SeededNumbers(state: seed)
    pair = try WatchmanPair(grace: Self.grace)
    begin = pair.time
    for number in 0..<count {
      let contacts = (0...Int(below(2))).map { "kin\(number)x\($0)" }
      let id = try pair.server.watched("guest\(number)", by: contacts)
      people.append(Member(id: id, contacts: contacts, taps: taps(), lastTap: begin))
    }
    try pair.pass(.minutes(30))
  }

  func run() throws {
    let end = begin.adding(seconds: Self.chaos)
    while pair.time < end {
      upset()
      try step()
    }
    untilWhen = [:]
    apply()
    let calm = end.adding(seconds: Self.calm)
    while pair.time < calm { try step() }
    try judge()
  }

  // MARK: The schedule

  private func below(_ limit: Int64) -> Int64 { Int64.random(in: 0..<limit, using: &numbers) }

  private func taps() -> [Instant] {
    switch below(100) {
    case ..<50: []
    case ..<75: (1...7).map { begin.adding(seconds: .days(Int64($0)) - below(.hours(8))) }
    default: [begin.adding(seconds: .hours(50) + below(.hours(60)))]
    }
  }

  private func upset() {
    for part in Part.allCases where untilWhen[part].map({ $0 <= pair.time }) ?? true {
      untilWhen[part] = nil
      guard canFail(part), below(100) < 3 else { continue }
      let longest: Int64 =
        switch part {
        case .server: .hours(26)
        case .watchman, .network: WatchmanPair.after - .minutes(40)
        default: .hours(10)
        }
      untilWhen[part] = pair.time.adding(seconds: .minutes(20) + below(longest))
      fail(part)
    }
    apply()
  }

  private func canFail(_ part: Part) -> Bool {
    switch part {
    // What the server sent just before, and could not say, would be sent a second time.
    case .server: !fails(.watchman) && !fails(.network)
    // One after the other they would last longer.
    case .watchman, .network: !fails(.watchman) && !fails(.network) && !hadFailed
    // With both wrong nothing could know the time.
    case .serverClock: !fails(.watchmanClock)
    case .watchmanClock: !fails(.serverClock)
    case .serverMail, .watchmanMail: true
    }
  }

  /// How each failure that has a kind fails.
  private var mode = TestLink.Mode.open
  private var serverError: Int64 = 0
  private var watchmanError: Int64 = 0
  /// Whether the watchman or the network failed in the step before.
  private var hadFailed = false

  private func fail(_ part: Part) {
    switch part {
    case .network: mode = below(2) == 0 ? .closed : .deaf
    case .serverClock:
      hasSkewed = true
      serverError = (below(2) * 2 - 1) * (600 + below(.hours(23)))
    case .watchmanClock: watchmanError = (below(2) * 2 - 1) * (600 + below(.hours(23)))
    default: break
    }
  }

  private func fails(_ part: Part) -> Bool { untilWhen[part] != nil }

  private func apply() {
    pair.isServerUp = !fails(.server)
    if pair.isWatchmanUp, fails(.watchman) { pair.restartWatchman() }
    pair.isWatchmanUp = !fails(.watchman)
    pair.link.set(fails(.server) ? .closed : fails(.network) ? mode : .open)
    pair.mail.setDown(fails(.watchmanMail))
    pair.serverMailIsDown = fails(.serverMail)
    pair.serverError = fails(.serverClock) ? serverError : 0
    pair.watchmanError = fails(.watchmanClock) ? watchmanError : 0
  }

  private func step() throws {
    hadFailed = fails(.watchman) || fails(.network)
    if pair.isServerUp {
      for index in people.indices {
        guard let tap = people[index].taps.first, tap <= pair.time else { continue }
        try pair.server.tap(people[index].id)
        people[index].taps.removeFirst()
        people[index].lastTap = pair.time
      }
    }
    try pair.pass(.minutes(10 + 10 * below(3)))
    try watch()
  }

  // MARK: The judgement

  /// No alert is sent about a user who has checked in.
  private func watch() throws {
    for mail in pair.mail.sent.dropFirst(known) {
      known += 1
      let name = mail.to.description.split(separator: "@").first.map(String.init) ?? ""
      guard let person = people.first(where: { $0.contacts.contains(name) }) else { continue }
      byWatchman += 1
      judge(person, "the watchman")
    }
    let sent = try pair.server.database.read {
      try $0.rows(
        """
        SELECT mail_id, user_id FROM contact_mails
        WHERE kind = 'alert' AND state = 'sent' AND by_watchman = 0
        """
      ) { (try $0.next(ID<QueuedMail>.self), try $0.next(ID<Person>.self)) }
    }
    for (mail, id) in sent where knownOfServer.insert(mail).inserted {
      byServer += 1
      if let person = people.first(where: { $0.id == id }) { judge(person, "the server") }
    }
  }

  private func judge(_ person: Member, _ sender: String) {
    let silence = pair.time.seconds(since: person.lastTap)
    // A check-in by a clock that was wrong counts for the time that it showed.
    if silence < .hours(hasSkewed ? 24 : 48) {
      violations.append("\(sender) alerted \(silence / 60) min after a check-in")
    }
  }

  private func judge() throws {
    for person in people
    where pair.time.seconds(since: person.lastTap) > .hours(73 + 24) + Self.grace {
      let missing = try pair.server.number(
        """
        SELECT count(*) FROM emergency_contacts c WHERE c.user_id = \(person.id)
          AND NOT EXISTS (SELECT 1 FROM contact_mails m JOIN alerts a ON a.id = m.alert_id
            WHERE m.contact_id = c.id AND m.kind = 'alert' AND m.state = 'sent'
              AND a.ended_at IS NULL)
        """)
      if missing > 0 { violations.append("\(missing) contacts not alerted") }
    }
    let doubled = try pair.server.number(
      """
      SELECT count(*) FROM (SELECT 1 FROM contact_mails WHERE kind = 'alert' AND state = 'sent'
        GROUP BY alert_id, round, contact_id, channel_id HAVING count(*) > 1) AS counted
      """)
    if doubled > 0 { violations.append("\(doubled) contacts alerted twice in a round") }
    let unclear = try pair.server.number(
      """
      SELECT count(*) FROM (SELECT DISTINCT m.alert_id, m.contact_id FROM contact_mails m
        JOIN alerts a ON a.id = m.alert_id
        WHERE m.kind = 'alert' AND m.state = 'sent' AND a.ended_at IS NOT NULL) told
      WHERE NOT EXISTS (SELECT 1 FROM contact_mails c WHERE c.alert_id = told.alert_id
        AND c.contact_id = told.contact_id AND c.kind = 'all-clear' AND c.state = 'sent')
      """)
    if unclear > 0 { violations.append("\(unclear) contacts without an all-clear") }
    let reported = try pair.server.number(
      "SELECT count(*) FROM contact_mails WHERE by_watchman = 1 AND state = 'sent'")
    if reported != byWatchman {
      violations.append("the server knows of \(reported) of the watchman’s \(byWatchman) alerts")
    }
    violations += try pair.server.problems()
  }
}
