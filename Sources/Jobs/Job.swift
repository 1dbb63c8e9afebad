import Basics

/// Something to be done by a worker, now or later.
public struct Job: Sendable {
  public let id: ID<Job>
  public let kind: String
  public let payload: String
  /// How often it was begun, this time included.
  public let attempts: Int
  public let createdAt: Instant
  /// Shows that it is ours until the lease ends.
  let lease: [UInt8]
}

/// How a job ended.
public enum JobOutcome: Sendable {
  case done
  /// Not over: again at that moment, with attempts counted anew (timetables).
  case again(at: Instant)
  /// It went wrong: again after so many s, attempts counting on.
  case retry(after: Int64, because: String)
}

/// What a worker does with jobs of one kind.
public struct JobKind: Sendable {
  public let name: String
  /// How long a worker may take before another one begins anew, in s.
  public let lease: Int64
  /// Does the work; what it throws is a failure that is tried again after `retryDelay`.
  public let run: @Sendable (Job, Instant) throws -> JobOutcome

  public init(
    _ name: String, lease: Int64 = 300,
    run: @escaping @Sendable (Job, Instant) throws -> JobOutcome
  ) {
    self.name = name
    self.lease = lease
    self.run = run
  }

  /// Work that comes round every so many s; the first time when a worker first sees it.
  public static func recurring(
    _ name: String, every seconds: Int64, lease: Int64 = 300,
    run: @escaping @Sendable (Instant) throws -> Void
  ) -> JobKind {
    var kind = JobKind(name, lease: lease) { _, now in
      try run(now)
      return .again(at: now.adding(seconds: seconds))
    }
    kind.recurs = true
    return kind
  }

  /// Whether a worker sees to it that one such job always waits.
  private(set) var recurs = false

  /// Seconds until a job that threw is tried again: from 10 s doubling to 6 h.
  static func retryDelay(attempts: Int) -> Int64 {
    min(10 << Int64(min(attempts - 1, 12)), .hours(6))
  }
}
