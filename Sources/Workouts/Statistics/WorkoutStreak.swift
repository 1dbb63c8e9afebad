import Core

/// The last run of days in a row that each have a workout, kept up to date workout by workout.
struct WorkoutStreak: Sendable, Equatable {
  /// The last day with a workout; nil when there is none.
  private(set) var last: LocalDay?
  /// How many days in a row end with it.
  private(set) var length: Int

  static let none = WorkoutStreak(last: nil, length: 0)

  init(last: LocalDay?, length: Int) {
    self.last = last
    self.length = last == nil ? 0 : length
  }

  /// From all days with a workout, in any order, also several times.
  init(days: some Sequence<LocalDay>) {
    let set = Set(days)
    self.init(last: set.max(), length: 1)
    walk { set.contains($0) }
  }

  /// The streak: the run, as long as no whole day was missed since.
  func streak(today: LocalDay) -> Int {
    guard let last, today.days(since: last) <= 1 else { return 0 }
    return length
  }

  /// Takes in a day that has a workout now; `has` tells of other days whether they have one.
  mutating func add(_ day: LocalDay, has: (LocalDay) throws -> Bool) rethrows {
    guard let last else {
      self = WorkoutStreak(last: day, length: 1)
      return
    }
    switch day.days(since: last) {
    case 1: self = WorkoutStreak(last: day, length: length + 1)
    case 2...: self = WorkoutStreak(last: day, length: 1)
    case -length:
      // The gap before the run is filled: an older run may hang on to it.
      length += 1
      try walk(has)
    default: break
    }
  }

  /// Takes out a day that has no workout any more; `latest` is the last day that still has one.
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
