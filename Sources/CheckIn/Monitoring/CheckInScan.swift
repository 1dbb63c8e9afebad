import Core
import Database
import Jobs

/// The worker's scan: evaluates users who may be due and reads no others
/// (docs/developer/check-in.md#rules).
struct CheckInScan {
  /// The kind of the job.
  static let job = "checkin.scan"
  /// The interval in s.
  static let every: Int64 = .minutes(1)
  /// The time after which a user is evaluated again who could not be, or whose alert is held for an
  /// unknown time, in s.
  static let retry: Int64 = .minutes(15)
  /// The name of the heartbeat of a completed scan.
  static let heartbeat = "checkin.scan"
  /// The heartbeat of a scan's beginning, used to detect a clock that was set back.
  static let beginning = "checkin.scan-began"
  /// The smallest step back that counts, in s; larger than the usual corrections of a clock.
  static let setBack: Int64 = .minutes(1)
  /// The number of users per transaction.
  static let batch = 100
  /// The number of users when one statement changes them all.
  static let largeBatch = 10_000

  let services: CheckInEnvironment

  /// Evaluates all users who are due and sends the weekly mails. A failure for one user doesn't
  /// delay the others; it is thrown once all have been evaluated. Returns false if it did nothing
  /// because the handlers don't beat by this clock.
  @discardableResult
  func run(now: Instant) throws -> Bool {
    let database = services.site.database
    let (suspension, grace) = try database.read { reader in
      let suspension = try services.outages.suspension(now: now, in: reader)
      return (
        suspension, suspension == nil ? .none : try services.outages.grace(now: now, in: reader)
      )
    }
    let waits = suspension.map { $0.until == nil } ?? false
    if waits {
      // No reminders or warnings either by a clock that may be wrong, or while taps are not
      // possible.
      services.site.logger.warning("check-in scan on hold: no current heartbeat of the handlers")
    } else {
      try evaluateAll(grace, now: now)
      // After a restore it is not known which contacts have responded since the backup.
      if suspension?.cause != .restore { try escalate(now: now) }
      while try TimerService(services: services).advanceDue(
        grace: grace, limit: Self.batch, now: now) > 0
      {}
    }
    try JobStore(database: database).beat(Self.heartbeat, now: now)
    return !waits
  }

  private func escalate(now: Instant) throws {
    let escalation = EscalationService(services: services)
    while try escalation.advanceDue(limit: Self.batch, now: now) > 0 {}
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

  /// Makes all users due after the clock was set back: what a clock that ran ahead postponed is
  /// scheduled for a moment that may never come.
  private func noticeClock(now: Instant) throws {
    let database = services.site.database
    let jobs = JobStore(database: database)
    if let last = try jobs.lastBeat(Self.beginning), last.seconds(since: now) > Self.setBack {
      services.site.logger.warning("check-in scan: the clock was set back, all users are checked")
      while try database.write({
        try services.monitors.makeDue(to: now, limit: Self.largeBatch, in: $0)
      }) > 0 {}
      try database.write {
        try services.escalation.makeDue(to: now, in: $0)
        try services.timers.makeDue(to: now, in: $0)
      }
    }
    try jobs.beat(Self.beginning, now: now)
  }

  private func look(after people: [ID<Person>], _ grace: AlertGracePeriod, now: Instant) throws {
    try services.site.database.write { writer in
      let monitorService = MonitorService(services: services)
      for person in people {
        // Another worker may have handled the user since the list was read.
        guard try services.monitors.isDue(person, now: now, in: writer) else { continue }
        try monitorService.evaluate(person, grace: grace, now: now, in: writer)
      }
    }
  }

  /// Evaluates each user in a separate transaction; failures are retried in the next scan.
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
          try services.monitors.scheduleNext(at: now.adding(seconds: Self.retry), person, in: $0)
        }
      }
    }
    return failure
  }
}
