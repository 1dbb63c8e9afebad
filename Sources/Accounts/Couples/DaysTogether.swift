import Core

/// How long two are together.
public enum DaysTogether {
  /// Day 1 is the anniversary day itself (docs/developer/accounts.md#couple-profile).
  public static func days(since anniversary: LocalDay, today: LocalDay) -> Int {
    max(1, today.number - anniversary.number + 1)
  }
}
