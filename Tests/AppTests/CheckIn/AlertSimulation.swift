import Core
import Database
import Foundation
import Mail

@testable import App
@testable import CheckIn
@testable import Jobs

/// People who check in or fall silent, while handlers, workers, the mail server and a service fail,
/// workers die with claimed work, and the clock is wrong for hours. The same seed gives the same
/// schedule. Rules and stores are the real ones; time is simulated.
final class AlertSimulation {
  static let people = 12
  /// How long everything may fail, and then how long nothing does, in s.
  static let chaos: Int64 = .hours(150)
  static let calm: Int64 = .hours(40)
  /// The time after a check-in at which an alert must have arrived whatever has happened, in s: three
  /// days, a day for a wrong clock, and an outage.
  static let latest: Int64 = .hours(112)
  static let largestSkew: Int64 = .hours(20)

  private struct Member {
    let id: ID<Person>
    /// When they will check in, in true time.
    var taps: [Instant]
    var lastTap: Instant
    /// Their threshold in hours; nil if days are counted.
    let hours: Int?
  }

  private enum Part: CaseIterable {
    case handlers
    case worker
    case mail
    case service
  }

  private let instance: TestInstance
  private let sender = RecordingSender()
  private let begin: Instant
  private var numbers: SeededNumbers
  private var people: [Member] = []
  /// The true time; the clock of the machine is `skew` s ahead of it.
  private var time: Instant
  private var skew: Int64 = 0
  private var skewUntil: Instant
  private var hasSkewed = false
  private var downUntil: [Part: Instant] = [:]
  private var known: Set<ID<QueuedMail>> = []
  private(set) var violations: [String] = []
  private(set) var alerts = 0

  private static let offers = """
    [{"name": "sms", "label": {"en": "SMS", "zh-Hant": "簡訊", "zh-Hans": "短信"},
      "url": "json://sms.example/{to}", "to": "\\\\+[0-9]{8,15}", "example": "+886912345678"}]
    """

  init(seed: UInt64) throws {
    numbers = SeededNumbers(state: seed)
    instance = try TestInstance(
      channels: (try ChannelOffers(json: Data(Self.offers.utf8)), sender))
    begin = instance.clock.now()
    time = begin
    skewUntil = begin
    for number in 0..<Self.people { try add(number) }
    try instance.beat()
    try work()
  }

  func run() throws {
    let end = begin.adding(seconds: Self.chaos)
    while time < end {
      time = time.adding(seconds: below(50) * 60 + 600)
      upset()
      try step()
    }
    downUntil = [:]
    skew = 0
    let calm = end.adding(seconds: Self.calm)
    while time < calm {
      time = time.adding(seconds: .minutes(30))
      try step()
    }
    try judge()
  }

  // MARK: The schedule

  private func below(_ limit: Int64) -> Int64 { Int64.random(in: 0..<limit, using: &numbers) }

  private func happens(_ percent: Int64) -> Bool { below(100) < percent }

  private func add(_ number: Int) throws {
    let contacts = (0...Int(below(3))).map { "kin\(number)x\($0)" }
    let id = try instance.watched("guest\(number)", by: contacts)
    let pauses: [Int?] = [nil, nil, 15, 60]
    let (pause, alertMinute) = (pauses[Int(below(4))], Int(below(96)) * 15)
    let thresholds = CheckInSettings.hourThresholds
    let hours = number % 3 == 2 ? thresholds[Int(below(Int64(thresholds.count)))] : nil
    try instance.database.write { writer in
      var settings = try instance.checkIn.monitors.settings(of: id, in: writer)
      settings?.contactPause = pause
      settings?.alertMinute = alertMinute
      settings?.thresholdHours = hours
      if let settings { try instance.checkIn.monitors.save(settings, of: id, in: writer) }
      for contact in try instance.checkIn.contacts.all(of: id, in: writer) where happens(50) {
        try instance.checkIn.channels.add(
          ID<ContactChannel>(now: begin), to: contact, offer: "sms",
          recipient: "+8869\(10_000_000 + number * 10 + Int(below(9)))", in: writer)
      }
      try writer.execute("UPDATE contact_channels SET proven_at = \(begin)")
    }
    people.append(Member(id: id, taps: taps(alertMinute), lastTap: begin, hours: hours))
  }

  private func taps(_ alertMinute: Int) -> [Instant] {
    func at(_ seconds: Int64) -> Instant { begin.adding(seconds: seconds) }
    switch below(100) {
    case ..<40: return []
    case ..<60: return (1...7).map { at(.days(Int64($0)) - below(.hours(8))) }
    case ..<85: return [at(.hours(60) + below(.hours(70)))]
    default:
      // Within minutes of the alert.
      let zone = TimeZone(identifier: "Asia/Taipei") ?? .gmt
      let alert = LocalDay(begin, in: zone).adding(days: 3).instant(minute: alertMinute, in: zone)
      return [alert.adding(seconds: below(.minutes(40)) - .minutes(20))]
    }
  }

  private func upset() {
    for part in Part.allCases where happens(3) {
      downUntil[part] = time.adding(seconds: 600 + below(.hours(10)))
    }
    if skew != 0, time >= skewUntil { skew = 0 }
    if skew == 0, happens(2) {
      skew = (60 + below(Self.largestSkew - 60)) * (happens(50) ? 1 : -1)
      skewUntil = time.adding(seconds: 600 + below(.hours(5)))
      hasSkewed = true
    }
  }

  private func isUp(_ part: Part) -> Bool { downUntil[part].map { $0 <= time } ?? true }

  // MARK: A moment

  private func step() throws {
    instance.clock.set(time.adding(seconds: skew))
    if isUp(.handlers) {
      try instance.beat()
      for index in people.indices {
        guard let tap = people[index].taps.first, tap <= time else { continue }
        try instance.tap(people[index].id)
        people[index].taps.removeFirst()
        people[index].lastTap = time
      }
      if happens(2) { try answer() }
    }
    if isUp(.worker) {
      if happens(3) { try die() } else { try work() }
    }
    try watch()
  }

  /// One of those who were notified answers.
  private func answer() throws {
    let notified = try instance.database.read {
      try $0.values(
        """
        SELECT DISTINCT m.contact_id FROM contact_mails m JOIN alerts a ON a.id = m.alert_id
        WHERE m.kind = 'alert' AND m.state = 'sent' AND a.ended_at IS NULL ORDER BY m.contact_id
        """, as: ID<Contact>.self)
    }
    guard !notified.isEmpty else { return }
    let id = notified[Int(below(Int64(notified.count)))]
    let now = instance.clock.now()
    try instance.database.write { writer in
      guard let contact = try instance.checkIn.contacts.find(id, in: writer) else { return }
      _ = try AlertService(services: instance.checkIn).looking(by: contact, now: now, in: writer)
    }
  }

  private func work() throws {
    try instance.work(WorkerQueues.scan)
    try instance.work(WorkerQueues.everythingElse)
    if isUp(.mail) { try instance.work(WorkerQueues.mail) }
    sender.setDown(!isUp(.service))
    try instance.instance.features.checkIn.channelDispatcher.sendDue()
  }

  /// A worker is killed with work that it has claimed.
  private func die() throws {
    let now = instance.clock.now()
    let kinds = Dictionary(
      instance.instance.jobs.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for queue in [WorkerQueues.scan, WorkerQueues.mail] {
      _ = try instance.instance.jobStore.claim(kinds, queue: queue, now: now)
    }
    _ = try instance.database.write {
      try instance.checkIn.channels.claim(
        until: now.adding(seconds: ChannelDispatcher.lease), limit: 5, now: now, in: $0)
    }
  }

  // MARK: The judgement

  /// No alert is sent about a user who has checked in.
  private func watch() throws {
    let sent = try instance.database.read {
      try $0.rows(
        "SELECT mail_id, user_id FROM contact_mails WHERE kind = 'alert' AND state = 'sent'"
      ) { (try $0.next(ID<QueuedMail>.self), try $0.next(ID<Person>.self)) }
    }
    for (mail, id) in sent where known.insert(mail).inserted {
      alerts += 1
      guard let person = people.first(where: { $0.id == id }) else { continue }
      let silence = time.seconds(since: person.lastTap)
      // A check-in by a clock that was wrong counts for the time that it showed.
      let least = Int64.hours(Int64(person.hours ?? 48)) - (hasSkewed ? Self.largestSkew : 0)
      if silence < least {
        violations.append("\(hours(time)): alerted \(silence / 60) min after a check-in")
      }
    }
  }

  private func hours(_ moment: Instant) -> String {
    "\(Double(moment.seconds(since: begin) / 36) / 100) h"
  }

  private func judge() throws {
    for person in people where time.seconds(since: person.lastTap) > Self.latest {
      let missing = try instance.number(
        """
        SELECT count(*) FROM emergency_contacts c WHERE c.user_id = \(person.id)
          AND NOT EXISTS (SELECT 1 FROM contact_mails m JOIN alerts a ON a.id = m.alert_id
            WHERE m.contact_id = c.id AND m.kind = 'alert' AND m.state = 'sent'
              AND a.ended_at IS NULL)
        """)
      if missing > 0 {
        violations.append("\(missing) contacts not alerted; silent since \(hours(person.lastTap))")
      }
    }
    let doubled = try instance.number(
      """
      SELECT count(*) FROM (SELECT 1 FROM contact_mails
        WHERE kind = 'alert' AND state IN ('waiting', 'sent')
        GROUP BY alert_id, round, contact_id, channel_id HAVING count(*) > 1) AS counted
      """)
    if doubled > 0 { violations.append("\(doubled) contacts alerted twice in a round") }
    let unclear = try instance.number(
      """
      SELECT count(*) FROM (SELECT DISTINCT m.alert_id, m.contact_id FROM contact_mails m
        JOIN alerts a ON a.id = m.alert_id
        WHERE m.kind = 'alert' AND m.state = 'sent' AND a.ended_at IS NOT NULL) told
      WHERE NOT EXISTS (SELECT 1 FROM contact_mails c WHERE c.alert_id = told.alert_id
        AND c.contact_id = told.contact_id AND c.kind = 'all-clear' AND c.state = 'sent')
      """)
    if unclear > 0 { violations.append("\(unclear) contacts without an all-clear") }
    violations += try instance.problems()
  }
}
