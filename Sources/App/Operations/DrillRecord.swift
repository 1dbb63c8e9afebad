import Core
import Database
import Jobs
import Web

/// When the last restore drill passed or failed (docs/operator/backup-and-restore.md#drill).
struct DrillRecord: Sendable {
  /// The maximum age of the last passed drill, in s: a week, and a day to notice and repeat it.
  static let maximumAge: Int64 = .days(8)
  /// The names of the heartbeats. That of a failure is deleted by the next pass.
  private static let passed = "drill"
  private static let failed = "drill failed"

  let jobs: JobStore

  func lastPass() throws -> Instant? { try jobs.lastBeat(Self.passed) }

  /// Records the result of a drill.
  static func note(hasPassed: Bool, now: Instant, in writer: WriteTransaction) throws {
    try JobStore.beat(hasPassed ? passed : failed, now: now, in: writer)
    if hasPassed { try JobStore.forgetBeat(failed, in: writer) }
  }

  /// The problem of a failed or overdue drill. Without any drill there is none: the operator may
  /// not use the timer.
  func problem(now: Instant) throws -> HealthProblem? {
    if let failed = try jobs.lastBeat(Self.failed) {
      return HealthProblem("health.drill_failed", since: failed)
    }
    // A pass may be in the future after the clock was set back.
    guard let passed = try lastPass(), abs(now.seconds(since: passed)) > Self.maximumAge else {
      return nil
    }
    return HealthProblem("health.drill_late", since: passed)
  }
}
