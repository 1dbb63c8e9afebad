import Core

/// The time by which a watchman acts (docs/developer/watchman.md#time).
enum WatchmanTime {
  /// How far two clocks may be apart, in s.
  static let tolerance: Int64 = .minutes(10)

  /// The time on which at least two clocks agree, the earliest of them; nil if none do. A single
  /// clock that is wrong neither causes an alert nor prevents one.
  static func agreed(own: Instant, others: [Instant]) -> Instant? {
    let clocks = ([own] + others).sorted()
    for (earlier, later) in zip(clocks, clocks.dropFirst())
    where later.seconds(since: earlier) <= tolerance {
      return earlier
    }
    return nil
  }
}
