import Core

/// A piece of work for a worker, now or later.
public struct Job: Sendable {
  public let id: ID<Job>
  public let kind: String
  public let payload: String
  /// How often it was started, this time included.
  public let attempts: Int
  public let createdAt: Instant
  /// The secret of the worker that holds the job until the lease ends.
  let lease: [UInt8]
}

/// The result of a job.
public enum JobOutcome: Sendable {
  case done
  /// Not over: runs again at that moment, with the attempts reset (recurring jobs).
  case again(at: Instant)
  /// Failed: runs again after so many s, and the attempts count on.
  case retry(after: Int64, because: String)
}

/// A kind of jobs and the work for it.
public struct JobKind: Sendable {
  public let name: String
  /// How long a worker may take before another one starts the job again, in s.
  public let lease: Int64
  /// The longest time that such a job ever waits, in s. A job that waits longer was scheduled while
  /// the clock was ahead, and becomes due as soon as a worker sees it (`JobStore.correct`).
  private(set) var maximumWait: Int64 = .days(2)
  /// The longest delay of a job that threw, in s.
  private(set) var maximumDelay: Int64 = .hours(6)
  /// Does the work; an error is a failure that is retried after `retryDelay`.
  public let run: @Sendable (Job, Instant) throws -> JobOutcome

  public init(
    _ name: String, lease: Int64 = 300,
    run: @escaping @Sendable (Job, Instant) throws -> JobOutcome
  ) {
    self.name = name
    self.lease = lease
    self.run = run
  }

  /// A recurring job with this interval in s, first run when a worker first sees it. With
  /// `isPunctual` it also runs whenever a worker starts, and otherwise at whole multiples of the
  /// interval: every 15 minutes at the full quarter hours.
  public static func recurring(
    _ name: String, every seconds: Int64, lease: Int64 = 300, isPunctual: Bool = false,
    run: @escaping @Sendable (Instant) throws -> Void
  ) -> JobKind {
    var kind = JobKind(name, lease: lease) { _, now in
      try run(now)
      guard isPunctual else { return .again(at: now.adding(seconds: seconds)) }
      let length = seconds * 1000
      return .again(at: Instant(milliseconds: (now.milliseconds / length + 1) * length))
    }
    kind.recurs = true
    // A failed round must not delay the next one.
    kind.maximumDelay = min(kind.maximumDelay, seconds)
    kind.maximumWait = max(seconds, lease)
    kind.runsAtStart = isPunctual
    return kind
  }

  /// Whether workers keep one such job in the queue at all times.
  private(set) var recurs = false
  /// Whether a worker runs it at its start.
  private(set) var runsAtStart = false

  /// The delay of a job that threw, in s: from 10 s doubling to 6 h, and never beyond its next
  /// round.
  func retryDelay(attempts: Int) -> Int64 {
    min(10 << Int64(min(attempts - 1, 12)), maximumDelay)
  }
}
