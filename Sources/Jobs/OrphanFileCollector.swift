import Core
import Database

/// Finds, for a job, the files without a row that can be deleted: left by interruptions between
/// disk and database, or by failed deletions.
///
/// Files also lose their rows when an operator replaces the database with an older one; the
/// operator then must have days to notice. So a file is deleted only if it has not changed for that
/// long, and this job has run in this database without a break for as long.
public struct OrphanFileCollector: Sendable {
  /// How long a file must have been without a row before it is deleted, in s.
  public static let timeout: Int64 = .days(7)
  /// The longest break of the job, in s; after a longer one the time starts again.
  static let maximumBreak: Int64 = .days(1)

  private let name: String
  private let jobs: JobStore

  /// `name` is the job's.
  public init(_ name: String, database: Database) {
    self.name = name
    jobs = JobStore(database: database)
  }

  /// Records a run of the job; returns the moment before which a file must have been changed to be
  /// deleted, nil for none. `now` is the time of the kernel, which stamps files.
  public func latest(now: Instant) throws -> Instant? {
    let began = "\(name)-began"
    let since = try jobs.database.write { writer -> Instant in
      let last = try JobStore.lastBeat(name, in: writer)
      try JobStore.beat(name, now: now, in: writer)
      if let last, last <= now, now.seconds(since: last) <= Self.maximumBreak,
        let since = try JobStore.lastBeat(began, in: writer)
      {
        return since
      }
      try JobStore.beat(began, now: now, in: writer)
      return now
    }
    let latest = now.adding(seconds: -Self.timeout)
    return since <= latest ? latest : nil
  }
}
