import Core

/// What a client says that the statistics are, as of a moment: "app wins"
/// (docs/developer/workouts.md#batch-upload). What it says nothing of stays as the server computes
/// it.
public struct StatisticsClaim: Sendable, Equatable {
  public var count: Int64?
  /// In kcal.
  public var energy: FixedPoint3?
  /// In m.
  public var distance: FixedPoint3?
  /// In s.
  public var duration: FixedPoint3?
  public var streak: Int?
  public var lastDay: LocalDay?

  public init(
    count: Int64? = nil, energy: FixedPoint3? = nil, distance: FixedPoint3? = nil,
    duration: FixedPoint3? = nil, streak: Int? = nil, lastDay: LocalDay? = nil
  ) {
    self.count = count
    self.energy = energy
    self.distance = distance
    self.duration = duration
    self.streak = streak
    self.lastDay = lastDay
  }

  public var isEmpty: Bool { self == StatisticsClaim() }
}

/// The figures that a person sees.
public struct EffectiveStatistics: Sendable, Equatable {
  public let totals: WorkoutTotals
  public let streak: Int
  public let lastDay: LocalDay?
}

/// A person's statistics: the server's own figures, kept incrementally, and beside them what their
/// client claims.
struct WorkoutStatistics: Sendable, Equatable {
  /// What the server counts.
  var totals = WorkoutTotals.zero
  var run = WorkoutStreak.none
  /// The client's figures of a moment; empty when it never said any.
  var claim = StatisticsClaim()
  /// When the client said so.
  var claimedAt: Instant?
  /// Counted up with each claim: a workout belongs to the claim that was the latest one when it
  /// came in.
  var round: Int64 = 0
  /// What came in since the claim.
  var later = WorkoutTotals.zero

  /// Takes in a workout of this round; `day` is nil when it doesn't count for the streak.
  mutating func add(
    _ workout: WorkoutTotals, on day: LocalDay?, has: (LocalDay) throws -> Bool
  ) rethrows {
    totals = totals + workout
    later = later + workout
    if let day { try run.add(day, has: has) }
  }

  /// Takes out a workout. `latest` is the last day that still has one.
  mutating func remove(
    _ workout: WorkoutTotals, of round: Int64, on day: LocalDay, latest: LocalDay?,
    has: (LocalDay) throws -> Bool
  ) rethrows {
    totals = totals - workout
    if round == self.round {
      later = later - workout
    } else {
      claim.take(workout)
    }
    guard try !has(day) else { return }
    try run.remove(day, latest: latest, has: has)
    // What the client said of this day is not true any more.
    if let last = claim.lastDay, day <= last, last.days(since: day) < max(1, claim.streak ?? 1) {
      claim.lastDay = nil
      claim.streak = nil
    }
  }

  /// Takes a client's word. Figures that it doesn't name keep what they were.
  mutating func take(_ new: StatisticsClaim, now: Instant) {
    let old = effectiveTotals
    claim = StatisticsClaim(
      count: new.count ?? claim.count.map { _ in old.count },
      energy: new.energy ?? claim.energy.map { _ in old.energy },
      distance: new.distance ?? claim.distance.map { _ in old.distance },
      duration: new.duration ?? claim.duration.map { _ in old.duration },
      streak: new.streak ?? claim.streak,
      // A streak without its last day ends with the last workout that is here; else it would begin
      // anew with each later claim, and outlive the workouts that it stood on.
      lastDay: new.lastDay ?? (new.streak == nil ? nil : run.last) ?? claim.lastDay)
    claimedAt = now
    round += 1
    later = .zero
  }

  /// Count, energy, distance and duration: the claim and what came in after it, or the server's
  /// own.
  private var effectiveTotals: WorkoutTotals {
    WorkoutTotals(
      count: claim.count.map { $0 + later.count } ?? totals.count,
      energy: claim.energy.map { $0 + later.energy } ?? totals.energy,
      distance: claim.distance.map { $0 + later.distance } ?? totals.distance,
      duration: claim.duration.map { $0 + later.duration } ?? totals.duration)
  }

  /// What holds on a day in the person's zone; `claimDay` is the day on which the claim was made.
  /// Streak and last day are the larger of the two; a claimed streak ends, as any, once a whole
  /// day was missed.
  func effective(today: LocalDay, claimDay: LocalDay?) -> EffectiveStatistics {
    let claimed = WorkoutStreak(last: claim.lastDay ?? claimDay, length: claim.streak ?? 0)
    let days = [run.last, claim.lastDay].compactMap { $0 }
    return EffectiveStatistics(
      totals: effectiveTotals, streak: max(run.streak(today: today), claimed.streak(today: today)),
      lastDay: days.max())
  }
}

extension StatisticsClaim {
  /// A workout that the claim had counted is gone.
  fileprivate mutating func take(_ workout: WorkoutTotals) {
    count = count.map { max(0, $0 - workout.count) }
    energy = energy.map { max(.zero, $0 - workout.energy) }
    distance = distance.map { max(.zero, $0 - workout.distance) }
    duration = duration.map { max(.zero, $0 - workout.duration) }
  }
}
