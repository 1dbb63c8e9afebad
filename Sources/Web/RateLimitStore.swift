import Basics
import Database
import Secrets

/// So many in so much time.
public struct RateLimit: Sendable {
  /// The name under which it is counted.
  public let rule: String
  public let most: Int
  /// The length of a window, in s.
  public let window: Int64

  public init(_ rule: String, most: Int, window: Int64) {
    self.rule = rule
    self.most = most
    self.window = window
  }
}

/// Counts what somebody did lately, in windows of fixed length that begin with the first count.
/// Subjects are stored as hashes: the table tells nobody who was here.
public struct RateLimitStore: Sendable {
  private let database: Database
  private let keys: KeyRing
  private let isOn: Bool

  public init(database: Database, keys: KeyRing, isOn: Bool) {
    self.database = database
    self.keys = keys
    self.isOn = isOn
  }

  /// Forgets all counts.
  public static func forgetAll(in writer: Writer) throws {
    try writer.execute("DELETE FROM rate_limits")
  }

  /// Counts one more; throws 429 when that was one too many.
  public func count(_ limit: RateLimit, _ subject: String, now: Instant) throws {
    guard isOn else { return }
    let wait = try database.writeAside { try add(limit, subject, now: now, in: $0) }
    if let wait { throw Problem.tooMany(retryAfter: wait) }
  }

  /// Tries something that may fail so often; nil is a failure. It is counted before it is tried
  /// and given back unless it failed: so many tries at once are no more than are allowed. Throws
  /// 429 when there is none left.
  public func attempt<Result>(
    _ limit: RateLimit, _ subject: String, now: Instant, _ body: () throws -> Result?
  ) throws -> Result? {
    try count(limit, subject, now: now)
    do {
      guard let result = try body() else { return nil }
      try giveBack(limit, subject, now: now)
      return result
    } catch {
      try giveBack(limit, subject, now: now)
      throw error
    }
  }

  private func giveBack(_ limit: RateLimit, _ subject: String, now: Instant) throws {
    guard isOn else { return }
    let (key, start) = (keys.lookupHash(subject), now.adding(seconds: -limit.window))
    try database.writeAside { writer in
      try writer.execute(
        "DELETE FROM rate_limits WHERE rule = ? AND subject = ? AND window_start > ? AND count <= 1",
        limit.rule, key, start)
      try writer.execute(
        """
        UPDATE rate_limits SET count = count - 1
        WHERE rule = ? AND subject = ? AND window_start > ?
        """, limit.rule, key, start)
    }
  }

  /// Counts one more within a transaction: nil while it is allowed, else the s to wait.
  public func add(
    _ limit: RateLimit, _ subject: String, now: Instant, in writer: Writer
  ) throws -> Int? {
    guard isOn else { return nil }
    let key = keys.lookupHash(subject)
    let current = try writer.first(
      """
      SELECT window_start, count FROM rate_limits
      WHERE rule = ? AND subject = ? AND window_start > ? ORDER BY window_start DESC LIMIT 1
      """, limit.rule, key, now.adding(seconds: -limit.window)
    ) { (start: $0.instant(0), count: $0.int(1)) }
    guard let current else {
      try writer.execute(
        "INSERT INTO rate_limits (rule, subject, window_start, ends_at, count) VALUES (?, ?, ?, ?, 1)",
        limit.rule, key, now, now.adding(seconds: limit.window))
      return nil
    }
    guard current.count < limit.most else {
      return Int(current.start.adding(seconds: limit.window).seconds(since: now)) + 1
    }
    try writer.execute(
      "UPDATE rate_limits SET count = count + 1 WHERE rule = ? AND subject = ? AND window_start = ?",
      limit.rule, key, current.start)
    return nil
  }

  /// Throws 429 when the limit is reached, without counting: for limits on failures.
  public func check(_ limit: RateLimit, _ subject: String, now: Instant) throws {
    guard isOn else { return }
    try database.read { try check(limit, subject, now: now, in: $0) }
  }

  /// The same within a transaction, so that nobody comes in between.
  public func check(
    _ limit: RateLimit, _ subject: String, now: Instant, in reader: Reader
  ) throws {
    guard isOn else { return }
    let wait = try reader.first(
      """
      SELECT window_start FROM rate_limits
      WHERE rule = ? AND subject = ? AND window_start > ? AND count >= ?
      ORDER BY window_start DESC LIMIT 1
      """, limit.rule, keys.lookupHash(subject), now.adding(seconds: -limit.window), limit.most
    ) { Int($0.instant(0).adding(seconds: limit.window).seconds(since: now)) + 1 }
    if let wait { throw Problem.tooMany(retryAfter: wait) }
  }

  /// How many are left before the limit.
  public func left(_ limit: RateLimit, _ subject: String, now: Instant) throws -> Int {
    guard isOn else { return limit.most }
    let used = try database.read {
      try $0.count(
        """
        SELECT count FROM rate_limits
        WHERE rule = ? AND subject = ? AND window_start > ? ORDER BY window_start DESC LIMIT 1
        """, limit.rule, keys.lookupHash(subject), now.adding(seconds: -limit.window))
    }
    return max(0, limit.most - used)
  }

  /// Removes windows that have ended.
  public func purge(now: Instant) throws {
    try database.write { try $0.execute("DELETE FROM rate_limits WHERE ends_at < ?", now) }
  }
}
