import Core

/// Counts the days of a couple.
public enum DaysTogether {
  /// The number of days; the anniversary itself is day 1
  /// (docs/developer/accounts.md#couple-profile).
  public static func days(since anniversary: LocalDay, today: LocalDay) -> Int {
    max(1, today.number - anniversary.number + 1)
  }
}
