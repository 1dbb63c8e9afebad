import Core
import Database
import Secrets

/// A limit: a number of events in a window of time.
public struct RateLimit: Sendable {
  /// The name under which events are counted.
  public let rule: String
  public let maximum: Int
  /// The length of a window, in s.
  public let window: Int64

  public init(_ rule: String, maximum: Int, window: Int64) {
    self.rule = rule
    self.maximum = maximum
    self.window = window
  }

  fileprivate func times(_ factor: Int) -> RateLimit {
    RateLimit(rule, maximum: maximum * factor, window: window)
  }
}

/// Counts recent events by subject, in windows of fixed length that begin with the first event.
/// Subjects are stored as hashes, so the table identifies no one. Events of an IPv6 address are
/// also counted for the larger networks around it, each with a limit of its own.
public struct RateLimitStore: Sendable {
  private let database: Database
  private let keys: KeyRing
  private let isOn: Bool

  public init(database: Database, keys: KeyRing, isOn: Bool) {
    self.database = database
    self.keys = keys
    self.isOn = isOn
  }

  /// Deletes all counts.
  public static func forgetAll(in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM rate_limits")
  }

  /// Counts one event; throws 429 if it is over the limit.
  public func count(_ limit: RateLimit, _ subject: String, now: Instant) throws {
    guard isOn else { return }
    let wait = try database.writeWithoutHooks { try add(limit, subject, now: now, in: $0) }
    if let wait { throw Problem.tooMany(retryAfter: wait) }
  }

  /// Runs an attempt that may fail a limited number of times; nil is a failure. The attempt is
  /// counted before it runs and given back unless it failed, so that parallel attempts cannot
  /// exceed the limit. Throws 429 if none is left.
  public func attempt<Result>(
    _ limit: RateLimit, _ subject: String, now: Instant, _ body: () throws -> Result?
  ) throws -> Result? {
    try count(limit, subject, now: now)
    do {
      guard let result = try body() else { return nil }
      try uncount(limit, subject, now: now)
      return result
    } catch {
      try uncount(limit, subject, now: now)
      throw error
    }
  }

  private func uncount(_ limit: RateLimit, _ subject: String, now: Instant) throws {
    guard isOn else { return }
    let start = now.adding(seconds: -limit.window)
    try database.writeWithoutHooks { writer in
      for (subject, _) in Self.counted(subject) {
        let key = keys.lookupHash(subject)
        try writer.execute(
          """
          DELETE FROM rate_limits WHERE rule = \(limit.rule) AND subject = \(key)
            AND window_start > \(start) AND count <= 1
          """)
        try writer.execute(
          """
          UPDATE rate_limits SET count = count - 1
          WHERE rule = \(limit.rule) AND subject = \(key) AND window_start > \(start)
          """)
      }
    }
  }

  /// The keys that an event of a subject is counted for, the subject itself first.
  private static func counted(_ subject: String) -> [(key: String, factor: Int)] {
    [(subject, 1)] + TrustedProxies.networks(around: subject)
  }

  /// Counts one event within a transaction: nil while it is allowed, else the s to wait.
  public func add(
    _ limit: RateLimit, _ subject: String, now: Instant, in writer: WriteTransaction
  ) throws -> Int? {
    guard isOn else { return nil }
    for (key, factor) in Self.counted(subject) {
      if let wait = try addOne(limit.times(factor), key, now: now, in: writer) { return wait }
    }
    return nil
  }

  private func addOne(
    _ limit: RateLimit, _ subject: String, now: Instant, in writer: WriteTransaction
  ) throws -> Int? {
    let key = keys.lookupHash(subject)
    let current = try writer.first(
      """
      SELECT window_start, count FROM rate_limits
      WHERE rule = \(limit.rule) AND subject = \(key)
        AND window_start > \(now.adding(seconds: -limit.window)) ORDER BY window_start DESC LIMIT 1
      """
    ) { (start: try $0.next(Instant.self), count: try $0.next(Int.self)) }
    guard let current else {
      try writer.execute(
        """
        INSERT INTO rate_limits (rule, subject, window_start, ends_at, count)
        VALUES (\(limit.rule), \(key), \(now), \(now.adding(seconds: limit.window)), 1)
        """)
      return nil
    }
    guard current.count < limit.maximum else {
      return Int(current.start.adding(seconds: limit.window).seconds(since: now)) + 1
    }
    try writer.execute(
      """
      UPDATE rate_limits SET count = count + 1 WHERE rule = \(limit.rule) AND subject = \(key)
        AND window_start = \(current.start)
      """)
    return nil
  }

  /// Throws 429 if the limit is reached, without counting: for limits on failures.
  public func check(_ limit: RateLimit, _ subject: String, now: Instant) throws {
    guard isOn else { return }
    try database.read { try check(limit, subject, now: now, in: $0) }
  }

  /// The same within a transaction, so that no other change comes in between.
  public func check(
    _ limit: RateLimit, _ subject: String, now: Instant, in reader: ReadTransaction
  ) throws {
    guard isOn else { return }
    for (key, factor) in Self.counted(subject) {
      try checkOne(limit.times(factor), key, now: now, in: reader)
    }
  }

  private func checkOne(
    _ limit: RateLimit, _ subject: String, now: Instant, in reader: ReadTransaction
  ) throws {
    let wait = try reader.first(
      """
      SELECT window_start FROM rate_limits
      WHERE rule = \(limit.rule) AND subject = \(keys.lookupHash(subject))
        AND window_start > \(now.adding(seconds: -limit.window)) AND count >= \(limit.maximum)
      ORDER BY window_start DESC LIMIT 1
      """
    ) { Int(try $0.next(Instant.self).adding(seconds: limit.window).seconds(since: now)) + 1 }
    if let wait { throw Problem.tooMany(retryAfter: wait) }
  }

  /// The number of events left before the limit.
  public func left(_ limit: RateLimit, _ subject: String, now: Instant) throws -> Int {
    guard isOn else { return limit.maximum }
    let used = try database.read {
      try $0.count(
        """
        SELECT count FROM rate_limits
        WHERE rule = \(limit.rule) AND subject = \(keys.lookupHash(subject))
          AND window_start > \(now.adding(seconds: -limit.window)) ORDER BY window_start DESC
        LIMIT 1
        """)
    }
    return max(0, limit.maximum - used)
  }

  /// Deletes windows that have ended.
  public func purge(now: Instant) throws {
    try database.write { try $0.execute("DELETE FROM rate_limits WHERE ends_at < \(now)") }
  }
}
