import Foundation

/// A point in time in UTC, in whole milliseconds since 1970-01-01T00:00:00Z.
public struct Instant: Hashable, Sendable, Comparable {
  /// Milliseconds since 1970, negative before.
  public let milliseconds: Int64

  public init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  /// Parses RFC 3339 with a zone ("2026-01-13T01:05:00Z"); nil for anything else.
  public init?(rfc3339 text: String) {
    let whole = try? Date(text, strategy: .iso8601)
    let fraction = try? Date(
      text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    guard let date = whole ?? fraction else { return nil }
    self.init(date: date)
  }

  /// Converts a date; values out of range are clamped.
  public init(date: Date) {
    let exact = (date.timeIntervalSince1970 * 1000).rounded()
    milliseconds = Int64(exactly: exact) ?? (exact > 0 ? .max : .min)
  }

  public var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

  /// RFC 3339 in UTC, to the second.
  public var rfc3339: String { date.formatted(.iso8601) }

  /// This instant plus a number of seconds, clamped to the range: the instant may come from a
  /// client.
  public func adding(seconds: Int64) -> Instant {
    let (length, isLong) = seconds.multipliedReportingOverflow(by: 1000)
    let (sum, isBeyond) = milliseconds.addingReportingOverflow(length)
    return Instant(milliseconds: isLong || isBeyond ? (seconds > 0 ? .max : .min) : sum)
  }

  /// The seconds from `earlier` to this instant, rounded towards zero.
  public func seconds(since earlier: Instant) -> Int64 {
    let (length, isBeyond) = milliseconds.subtractingReportingOverflow(earlier.milliseconds)
    return (isBeyond ? (milliseconds > 0 ? .max : .min) : length) / 1000
  }

  public static func < (left: Instant, right: Instant) -> Bool {
    left.milliseconds < right.milliseconds
  }
}

extension Int64 {
  /// The seconds of a number of minutes.
  public static func minutes(_ count: Int64) -> Int64 { count * 60 }
  /// The seconds of a number of hours.
  public static func hours(_ count: Int64) -> Int64 { count * 3600 }
  /// The seconds of a number of days of 24 hours.
  public static func days(_ count: Int64) -> Int64 { count * 86_400 }
}
