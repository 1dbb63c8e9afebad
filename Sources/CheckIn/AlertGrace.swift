import Basics

/// Until when an alert waits for what outages of ours took, by the moment at which it was to go out
/// (checkin.md, "An outage is ours, not theirs"). No clock, no database.
struct AlertGrace: Sendable {
  static let none = AlertGrace(outages: [])

  private let outages: [Outage]

  /// `outages` are those whose grace may not have been over when an alert came due.
  init(outages: [Outage]) {
    self.outages = outages.sorted { $0.began < $1.began }
  }

  /// The end of the wait, nil for none. What came due in an outage, or in the grace behind it,
  /// waits until that is over.
  ///
  /// On a machine that is off for half of each day it would never be over: each night begins another
  /// one. So an alert that waits through several goes once we have been there, all in all, for as
  /// long as the longest of them gives back.
  func end(forAlertDue due: Instant?, now: Instant) -> Instant? {
    guard let due else { return nil }
    let holding = outages.filter {
      $0.graceUntil > due && $0.ended <= now.adding(seconds: Outage.shortest)
    }
    let gaps = holding.filter(\.isGap)
    let others = holding.filter { !$0.isGap }.map(\.graceUntil)
    return ([Self.end(of: gaps, now: now)].compactMap(\.self) + others).max()
  }

  private static func end(of gaps: [Outage], now: Instant) -> Instant? {
    guard let first = gaps.first, let last = gaps.map(\.graceUntil).max() else { return nil }
    let away = gaps.dropFirst().reduce(Int64(0)) { sum, gap in
      sum + max(0, gap.ended.seconds(since: max(gap.began, first.ended)))
    }
    let there = now.seconds(since: first.ended) - away
    let wanted = gaps.map { $0.graceUntil.seconds(since: $0.ended) }.max() ?? 0
    return min(last, now.adding(seconds: max(0, wanted - there)))
  }
}

extension Outage {
  /// Time in which nobody was there: neither a clock that was set back nor a restored backup, whose
  /// grace is carried over such time as it is.
  fileprivate var isGap: Bool { !isStepBack && cause != .restore }
}
