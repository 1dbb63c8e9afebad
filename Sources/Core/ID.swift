import Glibc

/// A typed identifier: a UUID of 16 bytes.
///
/// Rows get version 7 (RFC 9562, section 5.7), which sorts by the time of creation. Names that must
/// not be guessed get version 4 (section 5.4).
public struct ID<Kind>: Hashable, Sendable, Comparable, CustomStringConvertible {
  let high: UInt64
  let low: UInt64

  /// Creates a version 7 identifier with the time `now`.
  public init(now: Instant) {
    var random = SystemRandomNumberGenerator()
    let milliseconds = UInt64(truncatingIfNeeded: now.milliseconds) & 0xFFFF_FFFF_FFFF
    high = milliseconds << 16 | 0x7000 | random.next() & 0x0FFF
    low = 0x8000_0000_0000_0000 | random.next() >> 2
  }

  private init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Creates a version 4 identifier, which cannot be guessed.
  public static func random() -> ID {
    var random = SystemRandomNumberGenerator()
    return ID(
      high: random.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000,
      low: 0x8000_0000_0000_0000 | random.next() >> 2)
  }

  /// The number of bytes.
  public static var count: Int { 16 }

  /// Reads `count` bytes, most significant first.
  public init(at start: UnsafeRawPointer) {
    high = UInt64(bigEndian: start.loadUnaligned(as: UInt64.self))
    low = UInt64(bigEndian: start.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
  }

  /// Reads 16 bytes, most significant first; nil for any other number of bytes.
  public init?(bytes: [UInt8]) {
    guard bytes.count == Self.count else { return nil }
    self.init(at: bytes)
  }

  /// Parses the hyphenated form in lower or upper case; nil for anything else.
  public init?(_ text: some StringProtocol) {
    var digits: [UInt8] = []
    digits.reserveCapacity(32)
    for (position, character) in text.utf8.enumerated() {
      if position == 8 || position == 13 || position == 18 || position == 23 {
        guard character == UInt8(ascii: "-") else { return nil }
      } else {
        guard position < 36, let digit = Hex.value(of: character) else { return nil }
        digits.append(digit)
      }
    }
    guard digits.count == 32 else { return nil }
    self.init(
      bytes: stride(from: 0, to: 32, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
  }

  /// The 16 bytes, most significant first.
  public var bytes: [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 16) { buffer, count in
      for position in 0..<8 {
        let shift = UInt64(56 - 8 * position)
        buffer[position] = UInt8(truncatingIfNeeded: high >> shift)
        buffer[position + 8] = UInt8(truncatingIfNeeded: low >> shift)
      }
      count = 16
    }
  }

  /// The hyphenated form in lower case, 36 characters.
  public var description: String {
    String(unsafeUninitializedCapacity: 36) { buffer in
      let bytes = UnsafeMutableRawBufferPointer(buffer)
      let parts = (
        HexDigits(UInt32(truncatingIfNeeded: high >> 32)),
        HexDigits(UInt32(truncatingIfNeeded: high)),
        HexDigits(UInt32(truncatingIfNeeded: low >> 32)), HexDigits(UInt32(truncatingIfNeeded: low))
      )
      bytes.storeBytes(of: parts.0.all, toByteOffset: 0, as: UInt64.self)
      bytes.storeBytes(of: parts.1.first, toByteOffset: 9, as: UInt32.self)
      bytes.storeBytes(of: parts.1.last, toByteOffset: 14, as: UInt32.self)
      bytes.storeBytes(of: parts.2.first, toByteOffset: 19, as: UInt32.self)
      bytes.storeBytes(of: parts.2.last, toByteOffset: 24, as: UInt32.self)
      bytes.storeBytes(of: parts.3.all, toByteOffset: 28, as: UInt64.self)
      let hyphen = UInt8(ascii: "-")
      (buffer[8], buffer[13], buffer[18], buffer[23]) = (hyphen, hyphen, hyphen, hyphen)
      return 36
    }
  }

  public static func < (left: ID, right: ID) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }

  /// The same identifier for another kind, if two tables share it (a post and its draft).
  public func cast<Other>(to: Other.Type) -> ID<Other> {
    ID<Other>(high: high, low: low)
  }
}

/// The eight hex digits of a number, computed at once: pages write thousands of them.
private struct HexDigits {
  /// The digits in memory order.
  let all: UInt64
  let first: UInt32
  let last: UInt32

  init(_ number: UInt32) {
    // Spreads each digit into its own byte, then maps 0 to 15 to "0" to "f".
    var mixed = UInt64(number)
    mixed = (mixed | mixed << 16) & 0x0000_FFFF_0000_FFFF
    mixed = (mixed | mixed << 8) & 0x00FF_00FF_00FF_00FF
    mixed = (mixed | mixed << 4) & 0x0F0F_0F0F_0F0F_0F0F
    let letters = (mixed &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    let digits = mixed &+ 0x3030_3030_3030_3030 &+ letters &* 0x27
    all = digits.bigEndian
    first = UInt32(truncatingIfNeeded: digits >> 32).bigEndian
    last = UInt32(truncatingIfNeeded: digits).bigEndian
  }
}
