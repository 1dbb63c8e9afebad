import Core
import Web

/// A claim as sent by a client (docs/api/README.md, `PATCH /users/me/stats`), before validation.
public struct StatisticsClaimDraft: Sendable {
  var count: Int?
  var energy: Double?
  var distance: Double?
  var duration: Double?
  var streak: Int?
  var lastDay: LocalDay?

  /// The names of the figures in the API.
  enum Name {
    static let count = "workout_total_count"
    static let energy = "workout_total_energy"
    static let distance = "workout_total_distance"
    static let duration = "workout_total_duration"
    static let streak = "workout_streak"
    static let lastDay = "last_workout_date"
  }

  /// The maximum of any figure, in its unit.
  private static let maximumValue = 1_000_000_000_000
  /// The longest streak accepted, in days.
  private static let maximumStreak = 36_500

  public init() {}

  /// The claim, if it is possible on `today`. Throws 422 with the impossible fields.
  public func checked(today: LocalDay) throws -> StatisticsClaim {
    var wrong: [String: FieldError] = [:]
    func amount(_ value: Double?, _ name: String) -> FixedPoint3? {
      guard let value else { return nil }
      guard 0...Double(Self.maximumValue) ~= value else {
        wrong[name] = FieldError("api.field_range", ["least": "0", "most": "\(Self.maximumValue)"])
        return nil
      }
      return FixedPoint3(value)
    }
    let claim = StatisticsClaim(
      count: count.map(Int64.init), energy: amount(energy, Name.energy),
      distance: amount(distance, Name.distance), duration: amount(duration, Name.duration),
      streak: streak, lastDay: lastDay)
    // It may already be tomorrow where the client is.
    if let lastDay, today.adding(days: 1) < lastDay {
      wrong[Name.lastDay] = FieldError("api.workout.day_ahead")
    }
    guard wrong.isEmpty else { throw Problem.invalid(wrong) }
    return claim
  }
}

extension StatisticsClaimDraft: JSONRequest {
  public static let jsonName = "WorkoutStatsClaim"

  public static let jsonFields: [InputField<Self>] = [
    .optional(Name.count, in: 0...maximumValue, example: 150) { $0.count = $1 },
    amount(Name.energy, "In kcal.", 25_000) { $0.energy = $1 },
    amount(Name.distance, "In m.", 450_000) { $0.distance = $1 },
    amount(Name.duration, "In s.", 120_000) { $0.duration = $1 },
    .optional(
      Name.streak, in: 0...maximumStreak, note: "Consecutive days up to `last_workout_date`.",
      example: 7
    ) { $0.streak = $1 },
    .optional(Name.lastDay, note: "Tomorrow at the latest.", example: "2026-03-01") {
      $0.lastDay = $1
    },
  ]

  private static func amount(
    _ name: String, _ note: String, _ example: JSON,
    _ set: @escaping @Sendable (inout Self, Double) -> Void
  ) -> InputField<Self> {
    .optional(
      name, note: note, bounds: ["minimum": 0, "maximum": .integer(Int64(maximumValue))],
      example: example, set)
  }
}
