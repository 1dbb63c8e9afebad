import Core

/// Until when an alert waits for what outages of ours took, by the moment at which it was to go out
/// (docs/developer/check-in.md#outages). No clock, no database.
struct AlertGracePeriod: Sendable {
  static let none = AlertGracePeriod(outages: [])

  private let outages: [Outage]

  /// `outages` are all that may have held an alert since it came due.
  init(outages: [Outage]) {
    self.outages = outages.sorted { $0.began < $1.began }
  }

  /// The end of the wait, nil for none. What came due in an outage, or in the grace behind it, waits
  /// until that is over. `quietSince` is when somebody could first have missed a tap.
  ///
  /// On a machine that is off for half of each day it would never be over: each night begins another
  /// one. So of what an outage gives back the time is taken off that somebody had already had since
  /// an earlier one held the same alert.
  func end(forAlertDue due: Instant?, quietSince: Instant?, now: Instant) -> Instant? {
    guard let due else { return nil }
    let ended = outages.filter { $0.ended <= now.adding(seconds: Outage.shortest) }
    let holding = ended.filter { $0.graceUntil > due }
    let others = holding.filter { !$0.isGap }.map(\.graceUntil)
    guard let first = holding.first(where: \.isGap) else { return others.max() }
    // What was tapped before a backup came back is not known, nor is what we were there for.
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
  /// Time in which nobody was there: neither a clock that was set back nor a restored backup, whose
  /// grace is carried over such time as it is.
  fileprivate var isGap: Bool { !isStepBack && cause != .restore }
}
