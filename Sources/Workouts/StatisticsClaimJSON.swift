import Basics

/// What is wrong with a claim of statistics: the names of its fields, as the API has them.
public struct ClaimRefused: Error, Sendable, Equatable {
  public let fields: Set<String>
}

/// A claim as a client sends it (api.md, `PATCH /users/me/stats`), before it is believed.
public struct StatisticsClaimDraft: Sendable, Decodable {
  var count: Double?
  var energy: Double?
  var distance: Double?
  var duration: Double?
  var streak: Double?
  var lastDay: String?

  enum CodingKeys: String, CodingKey {
    case count = "workout_total_count"
    case energy = "workout_total_energy"
    case distance = "workout_total_distance"
    case duration = "workout_total_duration"
    case streak = "workout_streak"
    case lastDay = "last_workout_date"
  }

  /// The most of anything that a person can have done, in its unit.
  private static let most = 1e12
  /// The longest streak that is believed, in days.
  private static let longestStreak = 36_500.0

  /// The claim, when all of it can be true on `today`. Throws `ClaimRefused`.
  public func checked(today: LocalDay) throws(ClaimRefused) -> StatisticsClaim {
    var wrong: Set<String> = []
    func amount(_ value: Double?, _ key: CodingKeys) -> Thousandths? {
      guard let value else { return nil }
      guard 0...Self.most ~= value else {
        wrong.insert(key.rawValue)
        return nil
      }
      return Thousandths(value)
    }
    func whole(_ value: Double?, most: Double, _ key: CodingKeys) -> Int64? {
      guard let value else { return nil }
      guard 0...most ~= value, let number = Int64(exactly: value) else {
        wrong.insert(key.rawValue)
        return nil
      }
      return number
    }
    let claim = StatisticsClaim(
      count: whole(count, most: Self.most, .count), energy: amount(energy, .energy),
      distance: amount(distance, .distance), duration: amount(duration, .duration),
      streak: whole(streak, most: Self.longestStreak, .streak).map(Int.init),
      lastDay: lastDay.flatMap { LocalDay($0) })
    if lastDay != nil {
      // A client may live where it is tomorrow already.
      if claim.lastDay.map({ today.adding(days: 1) < $0 }) ?? true {
        wrong.insert(CodingKeys.lastDay.rawValue)
      }
    }
    guard wrong.isEmpty else { throw ClaimRefused(fields: wrong) }
    return claim
  }
}
