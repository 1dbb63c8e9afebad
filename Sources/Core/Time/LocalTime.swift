import Foundation

extension LocalDay {
  /// The moment at which clocks on the wall in `zone` show `minute` (minutes after midnight) of
  /// this day. A time that a change of clocks leaves out is the next existing minute; of one that
  /// comes twice it is the first (docs/developer/check-in.md#rules).
  public func instant(minute: Int, in zone: TimeZone) -> Instant {
    let wall = (Int64(number) * 1440 + Int64(minute)) * 60
    // Far enough to stand on both sides of any change that can touch this minute: Samoa once left
    // out a whole day.
    let before = Self.offset(of: zone, at: wall - .hours(26))
    let after = Self.offset(of: zone, at: wall + .hours(26))
    let fitting = [wall - before, wall - after].filter { moment in
      moment + Self.offset(of: zone, at: moment) == wall
    }
    let seconds = fitting.min() ?? Self.change(in: zone, between: wall - after, and: wall - before)
    return Instant(milliseconds: seconds * 1000)
  }

  /// Midnight at the start of this day, or its first existing minute.
  public func start(in zone: TimeZone) -> Instant { instant(minute: 0, in: zone) }

  /// Monday is 1, Sunday 7 (ISO 8601).
  public var weekday: Int { (((number + 3) % 7) + 7) % 7 + 1 }

  /// Days from `earlier` to this day.
  public func days(since earlier: LocalDay) -> Int { number - earlier.number }

  private static func offset(of zone: TimeZone, at seconds: Int64) -> Int64 {
    Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds))))
  }

  /// The first second in a span at which the clocks have been changed.
  private static func change(in zone: TimeZone, between start: Int64, and end: Int64) -> Int64 {
    var (low, high) = (start, end)
    let changed = offset(of: zone, at: high)
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if offset(of: zone, at: middle) == changed { high = middle } else { low = middle }
    }
    return high
  }
}
