import Basics

/// Writes JSON as UTF-8 into one buffer. Who writes sees to it that the values stand in order;
/// records do (`JSONRecord`).
public struct JSONOutput {
  public private(set) var bytes: [UInt8] = []

  public init(reserving capacity: Int = 1024) { bytes.reserveCapacity(capacity) }

  /// Bytes that are JSON already: a comma, a name.
  mutating func append(raw: [UInt8]) { bytes += raw }

  mutating func append(byte: Character) { bytes += byte.utf8 }

  public mutating func appendNull() { bytes += "null".utf8 }

  public mutating func append(_ flag: Bool) { bytes += flag ? "true".utf8 : "false".utf8 }

  public mutating func append(_ number: Int64) {
    // Most numbers are small; an interpolated text costs an allocation.
    if 0...9 ~= number {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number))
    } else {
      bytes += String(number).utf8
    }
  }

  /// What JSON has no word for (infinite, not a number) is null.
  public mutating func append(_ number: Double) {
    if number.isFinite { bytes += "\(number)".utf8 } else { appendNull() }
  }

  /// A text in quotes, with what must be escaped escaped; everything else stands as it is.
  public mutating func append(_ text: String) {
    var text = text
    bytes.append(UInt8(ascii: "\""))
    text.withUTF8 { buffer in
      var start = 0
      for position in buffer.indices where Self.isSpecial(buffer[position]) {
        bytes.append(contentsOf: buffer[start..<position])
        appendEscaped(buffer[position])
        start = position + 1
      }
      bytes.append(contentsOf: buffer[start...])
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// RFC 3339 in UTC with milliseconds (api.md).
  public mutating func append(_ instant: Instant) {
    bytes.append(UInt8(ascii: "\""))
    bytes += instant.rfc3339Milliseconds.utf8
    bytes.append(UInt8(ascii: "\""))
  }

  public mutating func append(_ value: JSON) {
    switch value {
    case .null: appendNull()
    case .flag(let flag): append(flag)
    case .integer(let number): append(number)
    case .real(let number): append(number)
    case .text(let text): append(text)
    case .list(let values):
      append(byte: "[")
      for (position, value) in values.enumerated() {
        if position > 0 { append(byte: ",") }
        append(value)
      }
      append(byte: "]")
    case .object(let members):
      append(byte: "{")
      for (position, member) in members.enumerated() {
        if position > 0 { append(byte: ",") }
        append(member.name)
        append(byte: ":")
        append(member.value)
      }
      append(byte: "}")
    }
  }

  private static func isSpecial(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private mutating func appendEscaped(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\n"): bytes += "\\n".utf8
    case UInt8(ascii: "\r"): bytes += "\\r".utf8
    case UInt8(ascii: "\t"): bytes += "\\t".utf8
    case UInt8(ascii: "\""): bytes += "\\\"".utf8
    case UInt8(ascii: "\\"): bytes += "\\\\".utf8
    default: bytes += "\\u00\(Hex.text([byte]))".utf8
    }
  }
}

extension Instant {
  /// "2026-03-02T00:00:00.000Z": RFC 3339 in UTC with milliseconds, as the API writes times.
  public var rfc3339Milliseconds: String {
    let day = (milliseconds >= 0 ? milliseconds : milliseconds - 86_399_999) / 86_400_000
    let rest = Int(milliseconds - day * 86_400_000)
    func digits(_ value: Int, _ count: Int) -> String {
      let text = String(value)
      return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
    let time = [rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60].map { digits($0, 2) }
    return "\(LocalDay(number: Int(day)))T\(time.joined(separator: ":")).\(digits(rest % 1000, 3))Z"
  }
}
