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
      try noticeClock(now: now)
      // After a restore it is not known which contacts have responded since the backup.
      let isRestored = suspension?.cause == .restore
      let isHeld = try WatchmanService(services: services).holds(
        lastScan: try JobStore(database: database).lastBeat(Self.heartbeat), now: now)
      let works = [users(grace), timers(grace)] + (isRestored || isHeld ? [] : [escalations])
      let results = try works.map { try take($0, now: now) }
      while try ContactService(services: services).sendWeekly(limit: Self.batch, now: now) > 0 {}
      var failures = results.compactMap { $0.failure }
      for (work, result) in zip(works, results) {
        failures += retry(work, result.busy, now: now)
      }
      if let failure = failures.first { throw failure }
    }
    try JobStore(database: database).beat(Self.heartbeat, now: now)
    return !waits
  }

  // MARK: What is due

  /// A kind of due work, by user.
  private struct Work {
    /// The users with such work, longest due first.
    let due: (Instant, ReadTransaction) throws -> [ID<Person>]
    /// Does the work of one user, unless another worker has done it since the list was read.
    let take: (ID<Person>, Instant, WriteTransaction) throws -> Void
    let postpone: (ID<Person>, Instant, WriteTransaction) throws -> Void
  }

  private func users(_ grace: AlertGracePeriod) -> Work {
    let service = MonitorService(services: services)
    return Work(
      due: { try services.monitors.due(now: $0, limit: Self.batch, in: $1) },
      take: { person, now, writer in
        guard try services.monitors.isDue(person, now: now, in: writer) else { return }
        try service.evaluate(person, grace: grace, now: now, in: writer)
      },
      postpone: { try services.monitors.scheduleNext(at: $1, $0, in: $2) })
  }

  private func timers(_ grace: AlertGracePeriod) -> Work {
    let service = TimerService(services: services)
    return Work(
      due: { try services.timers.due(now: $0, limit: Self.batch, in: $1) },
      take: { try service.advance($0, grace, now: $1, in: $2) },
      postpone: { try services.timers.scheduleNext(at: $1, of: $0, in: $2) })
  }

  private var escalations: Work {
    let service = EscalationService(services: services)
    return Work(
      due: { try services.escalation.due(now: $0, limit: Self.batch, in: $1) },
      take: { try service.advance($0, now: $1, in: $2) },
      postpone: { try services.escalation.postpone($0, to: $1, in: $2) })
  }

  /// Does all work of a kind, many users in a transaction. If one of them fails, each gets a
  /// transaction of its own, and those who fail are retried later. Returns the last failure, and the
  /// users whose transaction met a locked database.
  private func take(
    _ work: Work, now: Instant
  ) throws -> (failure: (any Error)?, busy: [ID<Person>]) {
    let database = services.site.database
    var failure: (any Error)?
    var busy: [ID<Person>] = []
    while true {
      let due = try database.read { try work.due(now, $0) }
      if due.isEmpty { return (failure, busy) }
      do {
        try database.write { for person in due { try work.take(person, now, $0) } }
      } catch {
        for person in due {
          do {
            try database.write { try work.take(person, now, $0) }
          } catch {
            if case StorageError.busy = error { busy.append(person) } else { failure = error }
            services.site.logger.error("check-in scan: \(error)")
            try database.write {
              try work.postpone(person, now.adding(seconds: Self.retry), $0)
            }
          }
        }
      }
    }
  }

  /// Does the work of users once more whose transaction met a locked database. Returns the failures;
  /// these users are retried later.
  private func retry(_ work: Work, _ people: [ID<Person>], now: Instant) -> [any Error] {
    people.compactMap { person in
      do {
        try services.site.database.write { writer in
          try work.postpone(person, now, writer)
          try work.take(person, now, writer)
        }
        return nil
      } catch {
        services.site.logger.error("check-in scan: \(error)")
        return error
      }
    }
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
}
