/// Reads long lists of numbers, such as samples, into flat arrays: a value for each of them would
/// take ten times as long.
struct JSONNumbers {
  /// Shorter lists are read as values, which keep whole numbers apart from others.
  static let minimumCount = 32

  private let bytes: UnsafeBufferPointer<UInt8>
  private var position: Int

  /// The numbers and nulls of a list that begins after its bracket, and the position after it. Nil
  /// for any other list: one that is short, malformed, or has other values or numbers with more
  /// digits than a double holds exactly.
  static func read(_ bytes: [UInt8], at start: Int) -> (values: [Double?], end: Int)? {
    bytes.withUnsafeBufferPointer {
      var reader = JSONNumbers(bytes: $0, position: start)
      guard let values = reader.list(), values.count >= minimumCount else { return nil }
      return (values, reader.position)
    }
  }

  private init(bytes: UnsafeBufferPointer<UInt8>, position: Int) {
    self.bytes = bytes
    self.position = position
  }

  /// The next byte; 0, which is part of no list, at the end.
  private var next: UInt8 { position < bytes.count ? bytes[position] : 0 }

  private mutating func list() -> [Double?]? {
    var values: [Double?] = []
    // More than an hour of seconds, which is a usual length.
    values.reserveCapacity(4000)
    while true {
      // The parser refuses so many; more are not kept until then.
      guard values.count <= JSONParser.maximumValues else { return values }
      skipSpace()
      if next == UInt8(ascii: "n") {
        guard null() else { return nil }
        values.append(nil)
      } else {
        guard let number = number() else { return nil }
        values.append(number)
      }
      skipSpace()
      let byte = next
      position += 1
      if byte == UInt8(ascii: "]") { return values }
      guard byte == UInt8(ascii: ",") else { return nil }
    }
  }

  private mutating func skipSpace() {
    while next == 0x20 || next == 0x0A || next == 0x0D || next == 0x09 { position += 1 }
  }

  private mutating func null() -> Bool {
    let end = position + 4
    guard end <= bytes.count, bytes[position..<end].elementsEqual("null".utf8) else { return false }
    position = end
    return true
  }

  private mutating func number() -> Double? {
    let isNegative = next == UInt8(ascii: "-")
    if isNegative { position += 1 }
    let first = position
    var amount: Int64 = 0
    digits(into: &amount)
    // No digit, or a leading zero with another digit after it.
    guard position > first, position == first + 1 || bytes[first] != UInt8(ascii: "0") else {
      return nil
    }
    var decimals = 0
    if next == UInt8(ascii: ".") {
      position += 1
      let start = position
      digits(into: &amount)
      decimals = position - start
      guard decimals > 0 else { return nil }
    }
    guard position - first <= JSONParser.maximumExactDigits,
      next != UInt8(ascii: "e"), next != UInt8(ascii: "E")
    else { return nil }
    // Exact, as in `JSONParser.number`. Most samples have few decimals, and looking up the power
    // takes as long as the digits.
    let value =
      switch decimals {
      case 0: Double(amount)
      case 1: Double(amount) / 10
      case 2: Double(amount) / 100
      case 3: Double(amount) / 1000
      default: Double(amount) / JSONParser.powers[decimals]
      }
    return isNegative ? -value : value
  }

  /// Appends digits to a number, which wraps around on overflow.
  private mutating func digits(into amount: inout Int64) {
    while case let digit = next &- 0x30, digit <= 9 {
      amount = amount &* 10 &+ Int64(digit)
      position += 1
    }
  }
}
