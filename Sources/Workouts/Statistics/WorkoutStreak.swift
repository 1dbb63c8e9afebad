import Core

/// The last run of consecutive days with a workout, updated workout by workout.
struct WorkoutStreak: Sendable, Equatable {
  /// The last day with a workout; nil if there is none.
  private(set) var last: LocalDay?
  /// The number of consecutive days that end with it.
  private(set) var length: Int

  static let none = WorkoutStreak(last: nil, length: 0)

  init(last: LocalDay?, length: Int) {
    self.last = last
    self.length = last == nil ? 0 : length
  }

  /// From all days with a workout, in any order, with duplicates.
  init(days: some Sequence<LocalDay>) {
    let set = Set(days)
    self.init(last: set.max(), length: 1)
    walk { set.contains($0) }
  }

  /// The current streak: the run, unless a whole day was missed since.
  func streak(today: LocalDay) -> Int {
    guard let last, today.days(since: last) <= 1 else { return 0 }
    return length
  }

  /// Adds a day that has a workout now; `has` returns whether another day has one.
  mutating func add(_ day: LocalDay, has: (LocalDay) throws -> Bool) rethrows {
    guard let last else {
      self = WorkoutStreak(last: day, length: 1)
      return
    }
    switch day.days(since: last) {
    case 1: self = WorkoutStreak(last: day, length: length + 1)
    case 2...: self = WorkoutStreak(last: day, length: 1)
    case -length:
      // The gap before the run is filled: an earlier run may precede it.
      length += 1
      try walk(has)
    default: break
    }
  }

  /// Removes a day that no longer has a workout; `latest` is the last day that still has one.
  mutating func remove(
    _ day: LocalDay, latest: LocalDay?, has: (LocalDay) throws -> Bool
  ) rethrows {
    guard let last, day <= last, last.days(since: day) < length else { return }
    if day == last {
      self = WorkoutStreak(last: latest, length: 1)
      try walk(has)
    } else {
      length = last.days(since: day)
    }
  }

  private mutating func walk(_ has: (LocalDay) throws -> Bool) rethrows {
    guard let last else { return }
    while try has(last.adding(days: -length)) { length += 1 }
  }
}
