/// Reads long lists of numbers, such as samples, into flat arrays: a value for each of them would
/// take ten times as long.
enum JSONNumbers {
  /// Shorter lists are read as values, which keep whole numbers apart from others.
  static let minimumCount = 32

  /// The numbers and nulls of a list that begins after its bracket, and the position after it. Nil
  /// for any other list: one that is short, malformed, or has other values or numbers with more
  /// digits than a double holds exactly.
  static func read(_ bytes: [UInt8], at start: Int) -> (values: [Double?], end: Int)? {
    bytes.withUnsafeBufferPointer { buffer in
      guard let first = buffer.baseAddress else { return nil }
      var next = first + start
      guard let values = list(&next, end: first + buffer.count), values.count >= minimumCount else {
        return nil
      }
      return (values, next - first)
    }
  }

  private static func list(
    _ place: inout UnsafePointer<UInt8>, end: UnsafePointer<UInt8>
  ) -> [Double?]? {
    // Kept in a register, unlike the parameter.
    var next = place
    var values: [Double?] = []
    // More than an hour of seconds, which is a usual length.
    values.reserveCapacity(4000)
    while true {
      // The parser refuses so many; more are not kept until then.
      guard values.count <= JSONParser.maximumValues else { break }
      skipSpace(&next, end: end)
      guard next < end else { return nil }
      if next.pointee == UInt8(ascii: "n") {
        guard null(&next, end: end) else { return nil }
        values.append(nil)
      } else {
        guard let number = number(&next, end: end) else { return nil }
        values.append(number)
      }
      skipSpace(&next, end: end)
      guard next < end else { return nil }
      let byte = next.pointee
      next += 1
      if byte == UInt8(ascii: "]") { break }
      guard byte == UInt8(ascii: ",") else { return nil }
    }
    place = next
    return values
  }

  @inline(__always)
  private static func skipSpace(
    _ next: inout UnsafePointer<UInt8>, end: UnsafePointer<UInt8>
  ) {
    while next < end, next.pointee <= 0x20,
      next.pointee == 0x20 || next.pointee == 0x0A || next.pointee == 0x0D || next.pointee == 0x09
    {
      next += 1
    }
  }

  private static func null(
    _ next: inout UnsafePointer<UInt8>, end: UnsafePointer<UInt8>
  ) -> Bool {
    guard end - next >= 4,
      UnsafeBufferPointer(start: next, count: 4).elementsEqual("null".utf8)
    else { return false }
    next += 4
    return true
  }

  @inline(__always)
  private static func number(
    _ next: inout UnsafePointer<UInt8>, end: UnsafePointer<UInt8>
  ) -> Double? {
    let isNegative = next.pointee == UInt8(ascii: "-")
    if isNegative { next += 1 }
    let first = next
    var amount: Int64 = 0
    digits(&next, end: end, into: &amount)
    // No digit, or a leading zero with another digit after it.
    guard next > first, next == first + 1 || first.pointee != UInt8(ascii: "0") else { return nil }
    var decimals = 0
    if next < end, next.pointee == UInt8(ascii: ".") {
      next += 1
      let start = next
      digits(&next, end: end, into: &amount)
      decimals = next - start
      guard decimals > 0 else { return nil }
    }
    guard next - first <= JSONParser.maximumExactDigits,
      next == end || next.pointee | 0x20 != UInt8(ascii: "e")
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
  @inline(__always)
  private static func digits(
    _ next: inout UnsafePointer<UInt8>, end: UnsafePointer<UInt8>, into amount: inout Int64
  ) {
    while next < end, case let digit = next.pointee &- 0x30, digit <= 9 {
      amount = amount &* 10 &+ Int64(digit)
      next += 1
    }
  }
}
