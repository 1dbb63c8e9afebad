import Core

/// The statistics as a client claims them at a moment: "app wins"
/// (docs/developer/workouts.md#batch-upload). Figures that it doesn't name stay as the server
/// computes them.
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

/// The statistics as shown to the user.
public struct EffectiveStatistics: Sendable, Equatable {
  public let totals: WorkoutTotals
  public let streak: Int
  public let lastDay: LocalDay?
}

/// A user's statistics: the server's own figures, updated incrementally, and the client's claim.
struct WorkoutStatistics: Sendable, Equatable {
  /// The server's own totals.
  var totals = WorkoutTotals.zero
  var run = WorkoutStreak.none
  /// The client's figures at a moment; empty if it never sent any.
  var claim = StatisticsClaim()
  /// When the client made the claim.
  var claimedAt: Instant?
  /// Incremented with each claim: a workout belongs to the latest claim at the time it was
  /// received.
  var round: Int64 = 0
  /// The totals of workouts received since the claim.
  var later = WorkoutTotals.zero

  /// Adds a workout of this round; `day` is nil if it doesn't count for the streak.
  mutating func add(
    _ workout: WorkoutTotals, on day: LocalDay?, has: (LocalDay) throws -> Bool
  ) rethrows {
    totals = totals + workout
    later = later + workout
    if let day { try run.add(day, has: has) }
  }

  /// Removes a workout. `latest` is the last day that still has one.
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
    // The client's claim about this day is no longer true.
    if let last = claim.lastDay, day <= last, last.days(since: day) < max(1, claim.streak ?? 1) {
      claim.lastDay = nil
      claim.streak = nil
    }
  }

  /// Applies a client's claim. Figures that it doesn't name keep their values.
  mutating func take(_ new: StatisticsClaim, now: Instant) {
    let old = effectiveTotals
    claim = StatisticsClaim(
      count: new.count ?? claim.count.map { _ in old.count },
      energy: new.energy ?? claim.energy.map { _ in old.energy },
      distance: new.distance ?? claim.distance.map { _ in old.distance },
      duration: new.duration ?? claim.duration.map { _ in old.duration },
      streak: new.streak ?? claim.streak,
      // A streak without its last day ends with the last workout on the server. Otherwise it would
      // restart with each later claim, and outlive the workouts that it was based on.
      lastDay: new.lastDay ?? (new.streak == nil ? nil : run.last) ?? claim.lastDay)
    claimedAt = now
    round += 1
    later = .zero
  }

  /// Count, energy, distance and duration: the claim and the workouts received after it, or the
  /// server's own.
  private var effectiveTotals: WorkoutTotals {
    WorkoutTotals(
      count: claim.count.map { $0 + later.count } ?? totals.count,
      energy: claim.energy.map { $0 + later.energy } ?? totals.energy,
      distance: claim.distance.map { $0 + later.distance } ?? totals.distance,
      duration: claim.duration.map { $0 + later.duration } ?? totals.duration)
  }

  /// The statistics on a day in the user's zone; `claimDay` is the day of the claim. Streak and
  /// last day are the larger of the two; a claimed streak ends, like any other, once a whole day
  /// was missed.
  func effective(today: LocalDay, claimDay: LocalDay?) -> EffectiveStatistics {
    let claimed = WorkoutStreak(last: claim.lastDay ?? claimDay, length: claim.streak ?? 0)
    let days = [run.last, claim.lastDay].compactMap { $0 }
    return EffectiveStatistics(
      totals: effectiveTotals, streak: max(run.streak(today: today), claimed.streak(today: today)),
      lastDay: days.max())
  }
}

extension StatisticsClaim {
  /// Subtracts a removed workout that the claim included.
  fileprivate mutating func take(_ workout: WorkoutTotals) {
    count = count.map { max(0, $0 - workout.count) }
    energy = energy.map { max(.zero, $0 - workout.energy) }
    distance = distance.map { max(.zero, $0 - workout.distance) }
    duration = duration.map { max(.zero, $0 - workout.duration) }
  }
}
