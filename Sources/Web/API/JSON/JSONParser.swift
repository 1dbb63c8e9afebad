import Core

/// The reason why a text is not accepted as JSON.
public enum JSONError: Error, Hashable, Sendable {
  /// Not JSON (RFC 8259), not UTF-8, half of a surrogate pair, a number outside a double's range, a
  /// duplicate name in an object (RFC 7493, section 2.3), more combining marks on a character than
  /// any language uses, or something after the end.
  case malformed
  /// Nested deeper, or with more values, than any input of the API.
  case tooMuch
}

/// Parses JSON strictly: malformed input is rejected, not guessed.
public struct JSONParser {
  /// The maximum nesting of lists and objects.
  public static let maximumDepth = 32
  /// The maximum number of values in all: as many as 8 MiB of samples have.
  public static let maximumValues = 1 << 21

  private let bytes: [UInt8]
  private var position = 0
  private var values = 0

  /// Parses one value, which must be the whole input.
  public static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSON {
    var parser = JSONParser(bytes: bytes)
    let value = try parser.value(depth: 0)
    parser.skipSpace()
    guard parser.position == bytes.count else { throw .malformed }
    return value
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      position += 1
    }
  }

  /// Consumes a byte if it comes next.
  private mutating func take(_ byte: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: byte) else { return false }
    position += 1
    return true
  }

  private mutating func value(depth: Int) throws(JSONError) -> JSON {
    values += 1
    guard values <= Self.maximumValues else { throw .tooMuch }
    skipSpace()
    switch next {
    case UInt8(ascii: "{"):
      guard depth < Self.maximumDepth else { throw .tooMuch }
      return try object(depth: depth + 1)
    case UInt8(ascii: "["):
      guard depth < Self.maximumDepth else { throw .tooMuch }
      return try list(depth: depth + 1)
    case UInt8(ascii: "\""): return .text(try text())
    case UInt8(ascii: "t"): return try word("true", .flag(true))
    case UInt8(ascii: "f"): return try word("false", .flag(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return try number()
    }
  }

  private mutating func word(_ word: StaticString, _ value: JSON) throws(JSONError) -> JSON {
    let end = position + word.utf8CodeUnitCount
    guard end <= bytes.count, bytes[position..<end].elementsEqual(word.description.utf8) else {
      throw .malformed
    }
    position = end
    return value
  }

  private mutating func list(depth: Int) throws(JSONError) -> JSON {
    position += 1
    skipSpace()
    if take("]") { return .list([]) }
    if let numbers = JSONNumbers.read(bytes, at: position) {
      values += numbers.values.count
      guard values <= Self.maximumValues else { throw .tooMuch }
      position = numbers.end
      return .numbers(numbers.values)
    }
    var values: [JSON] = []
    while true {
      values.append(try value(depth: depth))
      skipSpace()
      if take("]") { return .list(values) }
      guard take(",") else { throw .malformed }
    }
  }

  private mutating func object(depth: Int) throws(JSONError) -> JSON {
    position += 1
    skipSpace()
    if take("}") { return .object([]) }
    var members: [JSON.Member] = []
    var names: Set<String> = []
    while true {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw .malformed }
      let name = try text()
      guard name.utf8.count <= FormDecoding.maximumNameBytes, names.insert(name).inserted else {
        throw .malformed
      }
      skipSpace()
      guard take(":") else { throw .malformed }
      members.append(JSON.Member(name, try value(depth: depth)))
      skipSpace()
      if take("}") { return .object(members) }
      guard take(",") else { throw .malformed }
    }
  }

  // MARK: Numbers

  private mutating func number() throws(JSONError) -> JSON {
    let start = position
    let isNegative = take("-")
    let firstDigit = position
    // All digits as one number; it is unused if there are more than `maximumExactDigits`.
    var amount: Int64 = 0
    try digits(into: &amount)
    // A leading zero has no other digit after it.
    if bytes[firstDigit] == UInt8(ascii: "0"), position > firstDigit + 1 { throw .malformed }
    let point = position
    if take(".") { try digits(into: &amount) }
    let (end, isWhole) = (position, position == point)
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      position += 1
      if !take("+") { _ = take("-") }
      try digits(into: &amount)
    } else if end - firstDigit <= Self.maximumExactDigits {
      let signed = isNegative ? -amount : amount
      if isWhole { return .integer(signed) }
      // Both the digits and the power of ten are exact, so their quotient is the double nearest to
      // the number (IEEE 754 division). All samples are of this form.
      let real = Double(amount) / Self.powers[end - point - 1]
      return .real(isNegative ? -real : real)
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if isWhole, position == end, let whole = Int64(text) { return .integer(whole) }
    guard let real = Double(text), real.isFinite else { throw .malformed }
    return .real(real)
  }

  /// The maximum length of a number whose digits a double holds exactly.
  static let maximumExactDigits = 15
  static let powers = (0...maximumExactDigits).map {
    Double(Array(repeating: 10, count: $0).reduce(1, *))
  }

  /// Appends digits to a number, which wraps around on overflow.
  private mutating func digits(into amount: inout Int64) throws(JSONError) {
    let start = position
    while let byte = next, 0x30...0x39 ~= byte {
      amount = amount &* 10 &+ Int64(byte & 0x0F)
      position += 1
    }
    guard position > start else { throw .malformed }
  }

  // MARK: Strings

  private mutating func text() throws(JSONError) -> String {
    position += 1
    var start = position
    var plain: [UInt8] = []
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        plain += bytes[start..<position]
        position += 1
        guard let text = String(validating: plain, as: UTF8.self), text.isQuickToNormalise else {
          throw .malformed
        }
        return text
      case UInt8(ascii: "\\"):
        plain += bytes[start..<position]
        position += 1
        plain += try escape()
        start = position
      case 0..<0x20: throw .malformed
      default: position += 1
      }
    }
    throw .malformed
  }

  /// The value of an escape sequence, in UTF-8.
  private mutating func escape() throws(JSONError) -> [UInt8] {
    guard let byte = next else { throw .malformed }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "u"): break
    default: throw .malformed
    }
    var code = try fourDigits()
    if 0xD800..<0xDC00 ~= code {
      guard take("\\"), take("u") else { throw .malformed }
      let low = try fourDigits()
      guard 0xDC00..<0xE000 ~= low else { throw .malformed }
      code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
    }
    guard let scalar = Unicode.Scalar(code) else { throw .malformed }
    return Array(String(scalar).utf8)
  }

  private mutating func fourDigits() throws(JSONError) -> UInt32 {
    guard position + 4 <= bytes.count else { throw .malformed }
    var code: UInt32 = 0
    for byte in bytes[position..<position + 4] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { throw .malformed }
      code = code << 4 | UInt32(digit)
    }
    position += 4
    return code
  }
}
