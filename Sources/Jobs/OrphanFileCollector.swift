import Core
import Database

/// Judges for a job which files, that no row names, nobody will ask for again: what was interrupted
/// between the disk and the database, or could not be removed.
///
/// A file is nobody's as well when an operator has put an older database in the place of a newer one;
/// then they must have days to notice. So what counts is not only how long ago a file was changed, but
/// also since when the database has seen this job come round without a break.
public struct OrphanFileCollector: Sendable {
  /// How long a file has been nobody's before it goes, in s.
  public static let timeout: Int64 = .days(7)
  /// What the job may be away for, in s; one that was away longer begins to watch anew.
  static let longestBreak: Int64 = .days(1)

  private let name: String
  private let jobs: JobStore

  /// `name` is the job's.
  public init(_ name: String, database: Database) {
    self.name = name
    jobs = JobStore(database: database)
  }

  /// Notes that the job comes round; answers the moment before which files that it may remove were
  /// changed, nil for none. `now` is the time of the kernel, which stamps files.
  public func latest(now: Instant) throws -> Instant? {
    let began = "\(name)-began"
    let since = try jobs.database.write { writer -> Instant in
      let last = try JobStore.lastBeat(name, in: writer.reader)
      try JobStore.beat(name, now: now, in: writer)
      if let last, last <= now, now.seconds(since: last) <= Self.longestBreak,
        let since = try JobStore.lastBeat(began, in: writer.reader)
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
