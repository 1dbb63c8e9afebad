import Core

/// A time in which taps for the right day were not possible because of the service, and until when
/// alerts wait for it (docs/developer/check-in.md#outages). Uses no clock and no database.
///
/// It is derived from the heartbeats of the handlers alone. A gap between two of them is an outage,
/// or a clock that was set forward; a beat earlier than the one before it is a clock that was set
/// back. It cannot be known which of two clocks is right, so neither kind ever discards users'
/// data: alerts wait, for `maximumClockGracePeriod` at most, and then follow the clock.
struct Outage: Hashable, Sendable {
  enum Cause: String, Sendable, CaseIterable {
    /// Requests were not answered.
    case outage
    /// A backup was restored: taps made since the backup are unknown.
    case restore
    /// The clock was changed.
    case clock
  }

  /// Smaller steps, in s, are ignored: an alert may be early or late by this much, and never by
  /// more.
  static let minimumLength: Int64 = .hours(2)
  /// The maximum grace period after a clock change or a restored backup, in s.
  static let maximumClockGracePeriod: Int64 = .hours(24)
  /// A longer gap, in s, is taken for a machine whose clock started at a date in the past.
  static let maximumLength: Int64 = .days(90)

  var began: Instant
  /// Earlier than `began` for a clock that was set back and has not caught up yet.
  var ended: Instant
  /// `.distantFuture` for a restored backup while no request has been answered.
  var graceUntil: Instant
  var cause: Cause

  var isStepBack: Bool { ended < began }
  var waitsForFirstBeat: Bool { graceUntil == .distantFuture }

  private var length: Int64 { ended.seconds(since: began) }

  init(from began: Instant, until ended: Instant, grace: Int64, _ cause: Cause) {
    self.init(
      began: began, ended: ended, graceUntil: ended.adding(seconds: grace), cause: cause)
  }

  init(began: Instant, ended: Instant, graceUntil: Instant, cause: Cause) {
    self.began = began
    self.ended = ended
    self.graceUntil = graceUntil
    self.cause = cause
  }

  /// The outages after a beat at `now`, from those before it and the previous beat; nil for none.
  static func known(
    after known: [Outage], beat now: Instant, last: Instant?
  ) -> [Outage] {
    let known = known.map { $0.waitsForFirstBeat ? $0.restarted(now) : $0 }
    guard let last else { return known }
    let step = now.seconds(since: last)
    if step > minimumLength { return ahead(known, from: last, to: now) }
    if step < -minimumLength { return back(known, from: last, to: now) }
    // The clock has caught up by itself.
    return known.filter { !$0.isStepBack || $0.began > now }
  }

  /// Time has passed without beats, or the clock was set forward.
  private static func ahead(_ known: [Outage], from last: Instant, to now: Instant) -> [Outage] {
    let steps = known.filter(\.isStepBack)
    if let step = steps.first(where: { $0.began.seconds(since: now) > minimumLength }) {
      // Corrected in part: still behind the earlier time.
      return known.filter { $0 != step } + [stepBack(from: step.began, to: now)]
    }
    // Taps while the clock was back counted for past days: taps for the right day were not possible
    // since before.
    let start = max(last, steps.map(\.began).max() ?? last)
    // After a restored backup, what remained of the grace period still remains.
    let rest = known.filter { !$0.isStepBack }.map { one in
      guard one.cause == .restore, one.graceUntil > last else { return one }
      return Outage(
        from: one.began, until: now, grace: one.graceUntil.seconds(since: last), .restore)
    }
    let length = now.seconds(since: start)
    guard length > minimumLength else { return rest }
    guard steps.isEmpty, length <= maximumLength else {
      return rest + [
        Outage(from: start, until: now, grace: min(length, maximumClockGracePeriod), .clock)
      ]
    }
    return rest + [Outage(from: start, until: now, grace: length, .outage)]
  }

  /// The clock was set back, perhaps because it had run ahead.
  private static func back(_ known: [Outage], from last: Instant, to now: Instant) -> [Outage] {
    let rest = known.filter { $0.isStepBack || $0.ended <= now }
    let ahead = known.filter { !$0.isStepBack && $0.ended > now }
    let restores = ahead.filter { $0.cause == .restore && $0.graceUntil > last }
      .map { $0.restarted(now) }
    let gaps = ahead.filter { $0.cause != .restore }
    // Older outages into which the clock was set back are unrelated: the lost time must match the
    // time that they were taken for.
    let explained = gaps.reduce(minimumLength) { $0 + $1.length }
    guard let latest = gaps.max(by: { $0.ended < $1.ended }),
      let began = gaps.map(\.began).min(), began <= now,
      last.seconds(since: now) <= explained
    else {
      // They apply again when the clock has caught up, with a grace period of at most a day if it
      // was not over.
      let kept = gaps.map { gap in
        guard gap.graceUntil > last else { return gap }
        return Outage(
          began: gap.began, ended: gap.ended,
          graceUntil: min(gap.graceUntil, gap.ended.adding(seconds: maximumClockGracePeriod)),
          cause: gap.cause)
      }
      return rest + restores + kept + [stepBack(from: last, to: now)]
    }
    let remaining = latest.length - last.seconds(since: now)
    if latest.cause == .outage, remaining > minimumLength {
      // A real outage; the clock at its end was wrong by less than its length.
      return rest + restores + gaps.filter { $0 != latest } + [
        Outage(
          from: latest.began, until: latest.began.adding(seconds: remaining), grace: remaining,
          .outage)
      ]
    }
    // There was no outage, only a clock that is correct again. Taps in between count for future
    // days: taps for the right day were not possible since before.
    let length = now.seconds(since: began)
    return rest + restores
      + (length > minimumLength
        ? [Outage(from: began, until: now, grace: min(length, maximumClockGracePeriod), .clock)]
        : [])
  }

  private static func stepBack(from was: Instant, to now: Instant) -> Outage {
    Outage(
      from: was, until: now, grace: min(was.seconds(since: now), maximumClockGracePeriod), .clock)
  }

  /// A restored backup whose grace period begins now.
  private func restarted(_ now: Instant) -> Outage {
    Outage(from: min(began, now), until: now, grace: Self.maximumClockGracePeriod, cause)
  }
}

/// The suspension of alerts: until when, and why.
public struct AlertSuspension: Equatable, Sendable {
  /// Nil while the end is unknown: until the handlers answer and their clock agrees with this one.
  public let until: Instant?
  let cause: Outage.Cause

  /// The text key of the reason.
  public var reasonKey: String {
    switch cause {
    case .outage: "admin.health.alerts_outage"
    case .restore: "admin.health.alerts_restore"
    case .clock: "admin.health.alerts_clock"
    }
  }
}
