import Core

/// Writes JSON as UTF-8 into one buffer. The caller writes the values in order, as records do
/// (`JSONResponse`).
public struct JSONOutput {
  public private(set) var bytes: [UInt8] = []

  public init(reserving capacity: Int = 1024) { bytes.reserveCapacity(capacity) }

  /// Appends bytes that are JSON already: a comma, a name.
  public mutating func append(raw: [UInt8]) { bytes += raw }

  mutating func append(byte: Unicode.Scalar) { bytes.append(UInt8(ascii: byte)) }

  public mutating func appendNull() { bytes += "null".utf8 }

  public mutating func append(_ flag: Bool) { bytes += flag ? "true".utf8 : "false".utf8 }

  public mutating func append(_ number: Int64) {
    // Most numbers are small, and an interpolated text costs an allocation.
    if 0...9 ~= number {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number))
    } else {
      bytes += String(number).utf8
    }
  }

  /// Appends a number. Infinity and NaN, which JSON lacks, become null.
  public mutating func append(_ number: Double) {
    if number.isFinite { bytes += "\(number)".utf8 } else { appendNull() }
  }

  /// Appends a text in quotes, escaping only what must be escaped.
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

  /// Appends a moment: RFC 3339 in UTC with milliseconds (docs/api/README.md).
  public mutating func append(_ instant: Instant) {
    let milliseconds = instant.milliseconds
    let day = (milliseconds >= 0 ? milliseconds : milliseconds - 86_399_999) / 86_400_000
    let rest = Int(milliseconds - day * 86_400_000)
    append(byte: "\"")
    append(day: LocalDay(number: Int(day)))
    append(byte: "T")
    append(digits: rest / 3_600_000, 2)
    append(byte: ":")
    append(digits: rest / 60_000 % 60, 2)
    append(byte: ":")
    append(digits: rest / 1000 % 60, 2)
    append(byte: ".")
    append(digits: rest % 1000, 3)
    append(byte: "Z")
    append(byte: "\"")
  }

  public mutating func append(_ day: LocalDay) {
    append(byte: "\"")
    append(day: day)
    append(byte: "\"")
  }

  private mutating func append(day: LocalDay) {
    let (year, month, number) = day.components
    append(digits: year, 4)
    append(byte: "-")
    append(digits: month, 2)
    append(byte: "-")
    append(digits: number, 2)
  }

  /// Appends a number with at least `count` digits, with leading zeros.
  private mutating func append(digits number: Int, _ count: Int) {
    var limit = 10
    for _ in 1..<count { limit *= 10 }
    guard 0..<limit ~= number else {
      bytes += String(number).utf8
      return
    }
    while limit > 1 {
      limit /= 10
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / limit % 10))
    }
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
    case .numbers(let numbers):
      append(byte: "[")
      for (position, number) in numbers.enumerated() {
        if position > 0 { append(byte: ",") }
        if let number { append(number) } else { appendNull() }
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
  /// "2026-03-02T00:00:00.000Z": RFC 3339 in UTC with milliseconds, the API's form of times.
  public var rfc3339Milliseconds: String {
    var output = JSONOutput(reserving: 26)
    output.append(self)
    return String(decoding: output.bytes.dropFirst().dropLast(), as: UTF8.self)
  }
}
