import Core
import Database
import Jobs

/// The round that the worker makes: whoever may be due is looked after, nobody else is read
/// (docs/developer/check-in.md#rules).
struct CheckInScan {
  /// The kind of its job.
  static let job = "checkin.scan"
  /// How often it comes, in s.
  static let every: Int64 = .minutes(15)
  /// The name of the heartbeat that says that the scan lives.
  static let heartbeat = "checkin.scan"
  /// The heartbeat of a scan's beginning, by which a clock is seen to have been set back.
  static let beginning = "checkin.scan-began"
  /// How far, in s, so that it is more than a clock that is being kept right.
  static let setBack: Int64 = .minutes(1)
  /// How many people share a transaction.
  static let batch = 100
  /// How many when one statement changes them all.
  static let largeBatch = 10_000

  let services: CheckInEnvironment

  /// Looks after everybody who is due, and writes the weekly lines. One person who can't be looked
  /// after keeps nobody else waiting; throws what stood in the way once all have been seen.
  /// Answers false when it did nothing, since the handlers don't beat by this clock.
  @discardableResult
  func run(now: Instant) throws -> Bool {
    let database = services.site.database
    let (hold, grace) = try database.read { reader in
      let hold = try services.outages.hold(now: now, in: reader)
      return (hold, hold == nil ? .none : try services.outages.grace(now: now, in: reader))
    }
    let waits = hold.map { $0.until == nil } ?? false
    if waits {
      // Nobody is reminded or warned either by a clock that may be wrong, or while nobody can tap.
      services.site.logger.warning("check-in scan: the handlers don't beat by this clock: it waits")
    } else {
      try evaluateAll(grace, now: now)
    }
    try JobStore(database: database).beat(Self.heartbeat, now: now)
    return !waits
  }

  private func evaluateAll(_ grace: AlertGracePeriod, now: Instant) throws {
    let database = services.site.database
    try noticeClock(now: now)
    var failure: (any Error)?
    while true {
      let due = try database.read { try services.monitors.due(now: now, limit: Self.batch, in: $0) }
      if due.isEmpty { break }
      do {
        try look(after: due, grace, now: now)
      } catch {
        failure = try oneByOne(due, grace, now: now) ?? failure
      }
    }
    while try ContactService(services: services).sendWeekly(limit: Self.batch, now: now) > 0 {}
    if let failure { throw failure }
  }

  /// What was put off by a clock that ran ahead is found at a moment that may never come: once the
  /// clock is right again, everybody is looked after anew.
  private func noticeClock(now: Instant) throws {
    let database = services.site.database
    let jobs = JobStore(database: database)
    if let last = try jobs.lastBeat(Self.beginning), last.seconds(since: now) > Self.setBack {
      services.site.logger.warning("check-in scan: the clock was set back, everybody is looked at")
      while try database.write({
        try services.monitors.makeDue(to: now, limit: Self.largeBatch, in: $0)
      }) > 0 {}
    }
    try jobs.beat(Self.beginning, now: now)
  }

  private func look(after people: [ID<Person>], _ grace: AlertGracePeriod, now: Instant) throws {
    try services.site.database.write { writer in
      let monitorService = MonitorService(services: services)
      for person in people {
        // Another worker may have been here since the list was read.
        guard try services.monitors.isDue(person, now: now, in: writer.reader) else { continue }
        try monitorService.evaluate(person, grace: grace, now: now, in: writer)
      }
    }
  }

  /// Each in a transaction of their own; who fails is tried again in the next round.
  private func oneByOne(
    _ people: [ID<Person>], _ grace: AlertGracePeriod, now: Instant
  ) throws -> (any Error)? {
    var failure: (any Error)?
    for person in people {
      do {
        try look(after: [person], grace, now: now)
      } catch {
        failure = error
        services.site.logger.error("check-in scan: \(error)")
        try services.site.database.write {
          try services.monitors.scheduleNext(at: now.adding(seconds: Self.every), person, in: $0)
        }
      }
    }
    return failure
  }
}
