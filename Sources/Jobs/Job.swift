import Core

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
  /// The longest that such a job ever waits for its turn, in s. What waits longer was put off by a
  /// clock that ran ahead, and has its turn as soon as a worker sees it (`JobStore.correct`).
  private(set) var longestWait: Int64 = .days(2)
  /// The longest that one waits which threw, in s.
  private(set) var longestDelay: Int64 = .hours(6)
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

  /// Work that comes round every so many s; the first time when a worker first sees it. With
  /// `isPunctual` it also runs whenever a worker starts, and otherwise at whole multiples of its
  /// time: every 15 minutes at the full quarter hours.
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
    // A round that failed must not keep the next one waiting.
    kind.longestDelay = min(kind.longestDelay, seconds)
    kind.longestWait = max(seconds, lease)
    kind.runsAtStart = isPunctual
    return kind
  }

  /// Whether a worker sees to it that one such job always waits.
  private(set) var recurs = false
  /// Whether a worker that starts does it at once.
  private(set) var runsAtStart = false

  /// Seconds until a job that threw is tried again: from 10 s doubling to 6 h, and never longer
  /// than to its next round.
  func retryDelay(attempts: Int) -> Int64 {
    min(10 << Int64(min(attempts - 1, 12)), longestDelay)
  }
}
