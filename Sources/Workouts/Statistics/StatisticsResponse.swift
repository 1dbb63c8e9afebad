import Accounts
import Core
import Web

/// A user's statistics in the API: docs/api/README.md's "stats".
struct StatisticsResponse: JSONResponse {
  let statistics: EffectiveStatistics

  private typealias Name = StatisticsClaimDraft.Name

  static let jsonName = "WorkoutStats"
  static let jsonFields: [JSONField<Self>] = [
    JSONField(Name.count, example: 150) { Int($0.statistics.totals.count) },
    JSONField(Name.energy, note: "kcal.", example: 25_000) { $0.statistics.totals.energy },
    JSONField(Name.distance, note: "m.", example: 450_000) { $0.statistics.totals.distance },
    JSONField(Name.duration, note: "s.", example: 120_000) { $0.statistics.totals.duration },
    JSONField(
      Name.streak,
      note: "Consecutive days, up to today or yesterday, with a workout of at least a minute.",
      example: 7
    ) { $0.statistics.streak },
    JSONField(
      Name.lastDay,
      note: "Day of the last workout of at least a minute, in your time zone; null if none."
    ) {
      $0.statistics.lastDay
    },
  ]
}

/// A user's profile and statistics.
struct CurrentUserResponse: JSONResponse {
  let profile: UserProfile
  let statistics: EffectiveStatistics

  static let jsonName = "Me"
  static let jsonFields: [JSONField<Self>] =
    UserProfile.jsonFields.map { $0.of { $0.profile } } + [
      JSONField("stats") { StatisticsResponse(statistics: $0.statistics) }
    ]
}
