/// Formats durations, in the same way for all languages.
public enum DurationFormatter {
  /// "5:00", "1:05:00".
  public static func clock(_ seconds: Int) -> String {
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
    let rest = two(seconds % 60)
    return hours > 0 ? "\(hours):\(two(minutes)):\(rest)" : "\(minutes):\(rest)"
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
}
