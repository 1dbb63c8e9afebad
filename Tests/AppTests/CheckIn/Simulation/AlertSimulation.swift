import Core
import Database
import Foundation
import Mail

@testable import App
@testable import CheckIn

/// Random choices of a schedule: the same ones for the same seed.
struct ScheduleDraws {
  private var numbers: SeededNumbers

  init(seed: UInt64) {
    numbers = SeededNumbers(state: seed)
  }

  mutating func below(_ limit: Int64) -> Int64 { Int64.random(in: 0..<limit, using: &numbers) }

  mutating func happens(_ percent: Int64) -> Bool { below(100) < percent }

  /// One of a list; nil, without a draw, if it is empty.
  mutating func one<Element>(of list: [Element]) -> Element? {
    list.isEmpty ? nil : list[Int(below(Int64(list.count)))]
  }
}

/// People who give signs of life, use timers or fall silent, while handlers, workers, the mail server, a
/// service and a push service fail, workers die with claimed work, channels are removed, and the clock
/// is wrong for hours. The same seed gives the same schedule. Rules and stores are the real ones; time
/// is simulated.
final class AlertSimulation {
  static let people = 12
  /// Couples: one is watched, the partner is a contact whose browser shows pushes.
  static let couples = 3
  /// How long everything may fail, and then how long nothing does, in s.
  static let chaos: Int64 = .hours(150)
  static let calm: Int64 = .hours(40)
  /// The time after a check-in at which an alert must have arrived whatever has happened, in s: three
  /// days, a day for a wrong clock, and an outage.
  static let latest: Int64 = .hours(112)
  /// The same after a timer has run out, in s: a day for a wrong clock, an outage, and mail that is
  /// tried again.
  static let latestOfTimer: Int64 = .hours(50)
  static let largestSkew: Int64 = .hours(20)

  struct Member {
    let id: ID<Person>
    /// When they will check in, in true time.
    var taps: [Instant]
    var lastTap: Instant
    /// Their threshold in hours; nil if days are counted.
    let hours: Int?
    /// The path of their address for calls, which count as check-ins.
    var ping: String?
    var partner: Partner?
    var plannedTimers: [PlannedTimer] = []
    var timer: RunningTimer?
  }

  /// A contact who is told in the app, too.
  struct Partner {
    let id: ID<Person>
    let contact: ID<Contact>
    let endpoint: String
    /// How many pushes about an alert arrived, and when the last one did.
    var pushes = 0
    var lastPush: Instant?

    /// The page that a push opens.
    var page: String { CheckInLinks.asContact(contact) }
  }

  struct PlannedTimer {
    /// In true time.
    let start: Instant
    let minutes: Int
    let grace: Int
    /// How long after the start the user ends it, in s; nil if never.
    let endAfter: Int64?
  }

  struct RunningTimer {
    let id: ID<CheckInTimer>
    /// When it was started, and when the contacts are to be told, in true time.
    let started: Instant
    let alertAt: Instant
    /// The latter by the clock with which it was started.
    let due: Instant
    /// When the user ends it, in true time.
    let end: Instant?
  }

  enum Part: CaseIterable {
    case handlers
    case worker
    case mail
    case service
  }

  let instance: TestInstance
  let sender = RecordingSender()
  let begin: Instant
  /// Choices about the people, and about what fails.
  var draws: ScheduleDraws
  /// Choices about couples, pushes, timers, removed channels, and signs of life besides taps. They do
  /// not change the others.
  var others: ScheduleDraws
  var people: [Member] = []
  /// The true time; the clock of the machine is `skew` s ahead of it.
  private(set) var time: Instant
  private var skew: Int64 = 0
  private var skewUntil: Instant
  private(set) var hasSkewed = false
  private var downUntil: [Part: Instant] = [:]
  private var pushDownUntil: Instant?
  /// The messages of alerts that were seen.
  var known: Set<ID<QueuedMail>> = []
  var violations: [String] = []
  /// The numbers of messages of alerts, of those about timers among them, of pushes, and of signs of
  /// life besides taps.
  var alerts = 0
  var timerAlerts = 0
  var pushes = 0
  var signs = 0

  private static let offers = """
    [{"name": "sms", "label": {"en": "SMS", "zh-Hant": "簡訊", "zh-Hans": "短信"},
      "url": "json://sms.example/{to}", "to": "\\\\+[0-9]{8,15}", "example": "+886912345678"}]
    """

  init(seed: UInt64) throws {
    draws = ScheduleDraws(seed: seed)
    others = ScheduleDraws(seed: ~seed)
    instance = try TestInstance(
      channels: (try ChannelOffers(json: Data(Self.offers.utf8)), sender))
    begin = instance.clock.now()
    time = begin
    skewUntil = begin
    for number in 0..<Self.people { try add(number) }
    for number in 0..<Self.couples { try addCouple(number) }
    try instance.beat()
    try work()
  }

  func run() throws {
    let end = begin.adding(seconds: Self.chaos)
    while time < end {
      time = time.adding(seconds: draws.below(50) * 60 + 600)
      upset()
      try step()
    }
    downUntil = [:]
    pushDownUntil = nil
    skew = 0
    let calm = end.adding(seconds: Self.calm)
    while time < calm {
      time = time.adding(seconds: .minutes(30))
      try step()
    }
    try judge()
  }

  // MARK: Failures

  private func upset() {
    for part in Part.allCases where draws.happens(3) {
      downUntil[part] = time.adding(seconds: 600 + draws.below(.hours(10)))
    }
    if skew != 0, time >= skewUntil { skew = 0 }
    if skew == 0, draws.happens(2) {
      skew = (60 + draws.below(Self.largestSkew - 60)) * (draws.happens(50) ? 1 : -1)
      skewUntil = time.adding(seconds: 600 + draws.below(.hours(5)))
      hasSkewed = true
    }
    if others.happens(4) { pushDownUntil = time.adding(seconds: 600 + others.below(.hours(10))) }
  }

  func isUp(_ part: Part) -> Bool { downUntil[part].map { $0 <= time } ?? true }

  var isPushUp: Bool { pushDownUntil.map { $0 <= time } ?? true }

  // MARK: A moment

  private func step() throws {
    instance.clock.set(time.adding(seconds: skew))
    if isUp(.handlers) {
      try instance.beat()
      for index in people.indices { try live(index) }
      if draws.happens(2) { try answer("Kin", &draws) }
      if others.happens(2) { try answer("Mate", &others) }
      if others.happens(2) { try removeChannel() }
    }
    if isUp(.worker) {
      if draws.happens(3) { try die() } else { try work() }
    }
    try watch()
  }
}
