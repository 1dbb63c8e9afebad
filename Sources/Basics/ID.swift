import Glibc

/// An identifier of one kind of thing: a UUID of 16 bytes, told apart from others by its type.
///
/// Things get version 7 (RFC 9562, section 5.7: they sort by the time they were made),
/// names that must not be guessed get version 4 (section 5.4).
public struct ID<Kind>: Hashable, Sendable, Comparable, CustomStringConvertible {
  let high: UInt64
  let low: UInt64

  /// Makes a version 7 identifier for something made at `now`.
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

  /// Makes a version 4 identifier of which nothing can be guessed.
  public static func random() -> ID {
    var random = SystemRandomNumberGenerator()
    return ID(
      high: random.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000,
      low: 0x8000_0000_0000_0000 | random.next() >> 2)
  }

  /// Reads 16 bytes, most significant first; nil when there are more or fewer.
  public init?(bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 16 else { return nil }
    self.init(
      high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
      low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
  }

  /// Reads 16 bytes, most significant first; nil when there are more or fewer.
  public init?(bytes: [UInt8]) {
    guard let id = bytes.withUnsafeBytes({ ID(bytes: $0) }) else { return nil }
    self = id
  }

  /// Reads the lower-case or upper-case hyphened form; nil for anything else.
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

  /// The lower-case hyphened form of 36 characters.
  public var description: String {
    String(unsafeUninitializedCapacity: 36) { buffer in
      var position = 0
      for digit in 0..<32 {
        if digit == 8 || digit == 12 || digit == 16 || digit == 20 {
          buffer[position] = UInt8(ascii: "-")
          position += 1
        }
        let half = digit < 16 ? high : low
        let value = UInt8(truncatingIfNeeded: half >> UInt64(60 - 4 * (digit % 16))) & 0xF
        buffer[position] = Hex.digit(value)
        position += 1
      }
      return position
    }
  }

  public static func < (left: ID, right: ID) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }

  /// The same identifier for another kind, where two tables share one (a post and its draft).
  public func cast<Other>(to: Other.Type) -> ID<Other> {
    ID<Other>(high: high, low: low)
  }
}
