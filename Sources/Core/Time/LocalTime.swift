import Foundation

extension LocalDay {
  /// The instant at which local clocks in `zone` show `minute` (minutes after midnight) of this
  /// day. A time that a clock change skips is the next existing minute; of a time that occurs twice
  /// it is the first (docs/developer/check-in.md#rules).
  public func instant(minute: Int, in zone: TimeZone) -> Instant {
    let wall = (Int64(number) * 1440 + Int64(minute)) * 60
    // Far enough to be before and after any clock change that can affect this minute: Samoa once
    // skipped a whole day.
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

  /// The weekday: 1 for Monday to 7 for Sunday (ISO 8601).
  public var weekday: Int { (((number + 3) % 7) + 7) % 7 + 1 }

  /// The number of days from `earlier` to this day.
  public func days(since earlier: LocalDay) -> Int { number - earlier.number }

  private static func offset(of zone: TimeZone, at seconds: Int64) -> Int64 {
    zone.offset(at: Instant(milliseconds: 0).adding(seconds: seconds))
  }

  /// The first second after a clock change within a span.
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

extension Instant {
  /// The minutes after midnight that local clocks in `zone` show, also on days of a clock change.
  public func minuteOfDay(in zone: TimeZone) -> Int {
    let seconds = milliseconds / 1000 + zone.offset(at: self)
    return Int((seconds % 86_400 + 86_400) % 86_400 / 60)
  }
}
