import Core

/// A time in which nobody could tap for the right day because of us, and until when alerts wait for
/// it (docs/developer/check-in.md#outages). No clock, no database.
///
/// All that is known of it are the moments at which the handlers beat. A gap between two of them is
/// an outage, or a clock that was put ahead; a beat earlier than the one before it is a clock that
/// was set back. Nobody can tell which of two clocks is right, so neither kind ever throws anything
/// away that people did: alerts wait, for `mostOfClock` at the most, and then go by what the clock
/// says.
struct Outage: Hashable, Sendable {
  enum Cause: String, Sendable, CaseIterable {
    /// Nobody answered requests.
    case outage
    /// A backup came back: what was tapped since it was made is not known here.
    case restore
    /// The clock was somewhere else.
    case clock
  }

  /// A step of time that is smaller than this, in s, is nobody's business: an alert may come so
  /// much too early or too late, and never because of more.
  static let shortest: Int64 = .hours(2)
  /// The most that is given back because of a clock or a restored backup, in s.
  static let mostOfClock: Int64 = .hours(24)
  /// What looks like a longer silence is a machine that began at some day of the past, in s.
  static let longest: Int64 = .days(90)

  var began: Instant
  /// Earlier than `began` for a clock that was set back, and is not where it was yet.
  var ended: Instant
  /// `.distantFuture` for a restored backup that nobody has answered requests from yet.
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

  /// What is known of outages after a beat at `now`, from what was known before it and the beat
  /// before, nil for none.
  static func known(
    after known: [Outage], beat now: Instant, last: Instant?
  ) -> [Outage] {
    let known = known.map { $0.waitsForFirstBeat ? $0.beginningAnew(now) : $0 }
    guard let last else { return known }
    let step = now.seconds(since: last)
    if step > shortest { return ahead(known, from: last, to: now) }
    if step < -shortest { return back(known, from: last, to: now) }
    // A clock that has come by itself to where it was.
    return known.filter { !$0.isStepBack || $0.began > now }
  }

  /// Time has gone on without us, or the clock was put ahead.
  private static func ahead(_ known: [Outage], from last: Instant, to now: Instant) -> [Outage] {
    let steps = known.filter(\.isStepBack)
    if let step = steps.first(where: { $0.began.seconds(since: now) > shortest }) {
      // Put right in part: still behind where it was.
      return known.filter { $0 != step } + [stepBack(from: step.began, to: now)]
    }
    // Taps while the clock was back counted for days of the past: nobody could tap since before.
    let start = max(last, steps.map(\.began).max() ?? last)
    // What was left of the time in which people could tap again after a backup came back is left.
    let rest = known.filter { !$0.isStepBack }.map { one in
      guard one.cause == .restore, one.graceUntil > last else { return one }
      return Outage(
        from: one.began, until: now, grace: one.graceUntil.seconds(since: last), .restore)
    }
    let length = now.seconds(since: start)
    guard length > shortest else { return rest }
    guard steps.isEmpty, length <= longest else {
      return rest + [Outage(from: start, until: now, grace: min(length, mostOfClock), .clock)]
    }
    return rest + [Outage(from: start, until: now, grace: length, .outage)]
  }

  /// The clock was set back, perhaps because it had run ahead.
  private static func back(_ known: [Outage], from last: Instant, to now: Instant) -> [Outage] {
    let rest = known.filter { $0.isStepBack || $0.ended <= now }
    let ahead = known.filter { !$0.isStepBack && $0.ended > now }
    let restores = ahead.filter { $0.cause == .restore && $0.graceUntil > last }
      .map { $0.beginningAnew(now) }
    let gaps = ahead.filter { $0.cause != .restore }
    // Older outages that the clock was set back into have nothing to do with it: the time that is
    // gone has to be what they were thought to have taken.
    let explained = gaps.reduce(shortest) { $0 + $1.length }
    guard let latest = gaps.max(by: { $0.ended < $1.ended }),
      let began = gaps.map(\.began).min(), began <= now,
      last.seconds(since: now) <= explained
    else {
      // They are there again when the clock is, with a grace that was not over for a day at most.
      let kept = gaps.map { gap in
        guard gap.graceUntil > last else { return gap }
        return Outage(
          began: gap.began, ended: gap.ended,
          graceUntil: min(gap.graceUntil, gap.ended.adding(seconds: mostOfClock)),
          cause: gap.cause)
      }
      return rest + restores + kept + [stepBack(from: last, to: now)]
    }
    let remaining = latest.length - last.seconds(since: now)
    if latest.cause == .outage, remaining > shortest {
      // A real outage, at whose end the clock was wrong by less than it was long.
      return rest + restores + gaps.filter { $0 != latest } + [
        Outage(
          from: latest.began, until: latest.began.adding(seconds: remaining), grace: remaining,
          .outage)
      ]
    }
    // There was none, only a clock that is where it was again. Taps meanwhile count for days to
    // come: nobody could tap since before.
    let length = now.seconds(since: began)
    return rest + restores
      + (length > shortest
        ? [Outage(from: began, until: now, grace: min(length, mostOfClock), .clock)] : [])
  }

  private static func stepBack(from was: Instant, to now: Instant) -> Outage {
    Outage(
      from: was, until: now, grace: min(was.seconds(since: now), mostOfClock), .clock)
  }

  /// A restored backup whose grace begins now.
  private func beginningAnew(_ now: Instant) -> Outage {
    Outage(from: min(began, now), until: now, grace: Self.mostOfClock, cause)
  }
}

/// That alerts wait, until when, and why.
public struct AlertSuspension: Equatable, Sendable {
  /// Nil when nobody knows yet: until the handlers answer, and their clock and ours agree.
  public let until: Instant?
  let cause: Outage.Cause

  /// The key of the words for the reason.
  public var reasonKey: String {
    switch cause {
    case .outage: "admin.health.alerts_outage"
    case .restore: "admin.health.alerts_restore"
    case .clock: "admin.health.alerts_clock"
    }
  }
}
