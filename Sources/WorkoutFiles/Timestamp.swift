import Core
import Foundation

/// Reads and writes timestamps of files (ISO 8601) without the cost of a general parser: a file may
/// have tens of thousands.
enum Timestamp {
  /// Reads "2026-03-02T08:00:00.250+08:00", also with a space for the T, without fraction, or
  /// without offset (then it is in `zone`); nil for anything else.
  static func read(_ text: some StringProtocol, zone: TimeZone) -> Instant? {
    var digits = Digits(Array(text.utf8))
    guard let year = digits.number(4), digits.skip("-"), let month = digits.number(2),
      digits.skip("-"), let day = digits.number(2), digits.skip("T ") || digits.skip("t"),
      let hour = digits.number(2), digits.skip(":"), let minute = digits.number(2),
      let date = LocalDay(year: year, month: month, day: day), hour < 24, minute < 60
    else { return nil }
    var (second, milliseconds) = (0, 0)
    if digits.skip(":") {
      // 60 is a leap second.
      guard let read = digits.number(2), read <= 60 else { return nil }
      second = read
      if digits.skip(".,") {
        guard let fraction = digits.fraction() else { return nil }
        milliseconds = fraction
      }
    }
    let wall = Int64(date.number) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
    guard let offset = digits.offset(for: wall, zone: zone) else { return nil }
    return Instant(milliseconds: (wall - offset) * 1000 + Int64(milliseconds))
  }

  /// In UTC with milliseconds: "2026-03-02T00:00:00.250Z".
  static func text(_ moment: Instant) -> String {
    let day = Int((Double(moment.milliseconds) / 86_400_000).rounded(.down))
    let rest = moment.milliseconds - Int64(day) * 86_400_000
    let seconds = rest / 1000
    func padded(_ value: Int64, _ width: Int = 2) -> String {
      let digits = String(value)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    let clock = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { padded($0) }
    return "\(LocalDay(number: day))T\(clock.joined(separator: ":")).\(padded(rest % 1000, 3))Z"
  }
}

/// Reads the digits of a timestamp sequentially.
private struct Digits {
  private let bytes: [UInt8]
  private var place = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  private func digit(at place: Int) -> Int? {
    guard place < bytes.count, 48...57 ~= bytes[place] else { return nil }
    return Int(bytes[place] - 48)
  }

  mutating func number(_ count: Int) -> Int? {
    var value = 0
    for offset in 0..<count {
      guard let digit = digit(at: place + offset) else { return nil }
      value = value * 10 + digit
    }
    place += count
    return value
  }

  mutating func skip(_ any: String) -> Bool {
    guard place < bytes.count, any.utf8.contains(bytes[place]) else { return false }
    place += 1
    return true
  }

  /// The digits of a fraction, as milliseconds; at least one, at most nine.
  mutating func fraction() -> Int? {
    var (value, count) = (0, 0)
    while let digit = digit(at: place) {
      if count < 3 { value = value * 10 + digit }
      count += 1
      place += 1
    }
    guard 1...9 ~= count else { return nil }
    return count >= 3 ? value : count == 2 ? value * 10 : value * 100
  }

  /// The offset from UTC in s; the text must end after it.
  mutating func offset(for wall: Int64, zone: TimeZone) -> Int64? {
    if place == bytes.count {
      let guess = Date(timeIntervalSince1970: Double(wall))
      let near = Date(
        timeIntervalSince1970: Double(wall - Int64(zone.secondsFromGMT(for: guess))))
      return Int64(zone.secondsFromGMT(for: near))
    }
    if skip("Zz") { return place == bytes.count ? 0 : nil }
    let isWest = place < bytes.count && bytes[place] == UInt8(ascii: "-")
    guard skip("+-"), let hours = number(2) else { return nil }
    _ = skip(":")
    let minutes = number(2) ?? 0
    guard place == bytes.count, hours < 24, minutes < 60 else { return nil }
    return Int64(hours * 3600 + minutes * 60) * (isWest ? -1 : 1)
  }
}
