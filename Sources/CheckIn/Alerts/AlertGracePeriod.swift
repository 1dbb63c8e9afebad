import Core

/// How long an alert waits because of outages of the service, depending on when it was due
/// (docs/developer/check-in.md#outages). Uses no clock and no database.
struct AlertGracePeriod: Sendable {
  static let none = AlertGracePeriod(outages: [])

  private let outages: [Outage]

  /// `outages` are all outages that may have delayed an alert since it was due.
  init(outages: [Outage]) {
    self.outages = outages.sorted { $0.began < $1.began }
  }

  /// The end of the wait; nil if there is none. An alert that was due during an outage, or during
  /// the grace period after it, waits until that period is over. `quietSince` is the earliest
  /// moment at which a tap could have been missed.
  ///
  /// On a machine that is off for half of each day the wait would never end: each night begins
  /// another outage. So the time that the user already had since an earlier outage that held the
  /// same alert is subtracted from the grace period.
  func end(forAlertDue due: Instant?, quietSince: Instant?, now: Instant) -> Instant? {
    guard let due else { return nil }
    let ended = outages.filter { $0.ended <= now.adding(seconds: Outage.minimumLength) }
    let holding = ended.filter { $0.graceUntil > due }
    let others = holding.filter { !$0.isGap }.map(\.graceUntil)
    guard let first = holding.first(where: \.isGap) else { return others.max() }
    // Taps made before a backup was restored are unknown, and so is the time in which the service
    // was up.
    let restored = ended.filter { $0.cause == .restore }.map(\.ended)
    let start = ([first.ended] + restored + [quietSince].compactMap(\.self)).max() ?? first.ended
    let away = ended.filter(\.isGap).reduce(Int64(0)) { sum, gap in
      sum + max(0, gap.ended.seconds(since: max(gap.began, start)))
    }
    let had = max(0, now.seconds(since: start) - away)
    let gaps = holding.filter { $0.isGap && $0.graceUntil > now }.map { gap in
      let rest = max(0, gap.graceUntil.seconds(since: gap.ended) - had)
      return min(gap.graceUntil, now.adding(seconds: rest))
    }
    return (gaps + others).max()
  }
}

extension Outage {
  /// An outage in which the service was unavailable: neither a clock that was set back nor a
  /// restored backup, whose grace period is carried over such gaps unchanged.
  fileprivate var isGap: Bool { !isStepBack && cause != .restore }
}
