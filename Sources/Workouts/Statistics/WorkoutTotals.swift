/// Totals of workouts.
public struct WorkoutTotals: Sendable, Equatable {
  public var count: Int64
  /// In kcal.
  public var energy: FixedPoint3
  /// In m.
  public var distance: FixedPoint3
  /// In s.
  public var duration: FixedPoint3

  public static let zero = WorkoutTotals(
    count: 0, energy: .zero, distance: .zero, duration: .zero)

  public init(
    count: Int64, energy: FixedPoint3, distance: FixedPoint3, duration: FixedPoint3
  ) {
    self.count = count
    self.energy = energy
    self.distance = distance
    self.duration = duration
  }

  public static func + (left: WorkoutTotals, right: WorkoutTotals) -> WorkoutTotals {
    WorkoutTotals(
      count: left.count + right.count, energy: left.energy + right.energy,
      distance: left.distance + right.distance, duration: left.duration + right.duration)
  }

  public static func - (left: WorkoutTotals, right: WorkoutTotals) -> WorkoutTotals {
    WorkoutTotals(
      count: left.count - right.count, energy: left.energy - right.energy,
      distance: left.distance - right.distance, duration: left.duration - right.duration)
  }
}
