import Core

/// The retry intervals of a mail (docs/developer/check-in-contacts.md#mail-sending).
enum RetryPlan {
  private static let first: [Int64] = [
    .minutes(1), .minutes(5), .minutes(30), .hours(2), .hours(6),
  ]
  /// How long a mail is tried before it is given up, or tried daily, in s.
  static let timeout: Int64 = .days(3)

  /// The delay from an attempt, counted from 1, to the next, in s: 1 min, 5 min, 30 min, 2 h, 6 h,
  /// then every 12 h up to 3 days after the mail was queued; after that nil to give up, or a day
  /// for a mail that is never given up.
  static func delay(
    afterAttempt attempt: Int, queuedAt: Instant, now: Instant, retriesForever: Bool
  ) -> Int64? {
    if attempt <= first.count { return first[max(0, attempt - 1)] }
    if now.seconds(since: queuedAt) < timeout { return .hours(12) }
    return retriesForever ? .days(1) : nil
  }
}
