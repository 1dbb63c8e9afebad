/// The reason why bytes are not accepted as CBOR.
enum CBORError: Error, Equatable, Sendable {
  /// Ends too early, or has a reserved length (RFC 8949, section 3), or text that is not UTF-8.
  case malformed
  /// A length that is not given before the content.
  case indefinite
  /// A tag, a floating-point number, or a simple value other than true, false and null.
  case unsupported
  /// A map with the same key twice (RFC 8949, section 5.6), or a key other than integer and text.
  case key
  /// Longer or more deeply nested than anything in WebAuthn.
  case tooMuch
  /// Something after the value.
  case trailing
}

/// Reads CBOR strictly and within limits: only what the CTAP2 canonical form has (CTAP 2.2, section
/// 8), though keys may be in any order and integers longer than needed. Memory stays in proportion
/// to the input.
struct CBORReader {
  /// The maximum length of an input, in bytes. Attestation objects with certificates have some
  /// thousands.
  static let maximumBytes = 64 << 10
  /// The maximum nesting of lists and maps. CTAP2 has four levels.
  static let maximumDepth = 8
  /// The maximum number of entries in a map: keys are compared with each other.
  static let maximumEntries = 64

  private let bytes: ArraySlice<UInt8>
  private var position: Int

  /// Reads one value, which must be the whole input.
  static func read(_ bytes: ArraySlice<UInt8>) throws(CBORError) -> CBORValue {
    let (value, rest) = try readFirst(bytes)
    guard rest.isEmpty else { throw .trailing }
    return value
  }

  /// Reads one value at the start of the input, and returns the rest.
  static func readFirst(
    _ bytes: ArraySlice<UInt8>
  ) throws(CBORError) -> (value: CBORValue, rest: ArraySlice<UInt8>) {
    guard bytes.count <= maximumBytes else { throw .tooMuch }
    var reader = CBORReader(bytes: bytes, position: bytes.startIndex)
    let value = try reader.value(depth: 0)
    return (value, bytes[reader.position...])
  }

  private var remaining: Int { bytes.endIndex - position }

  private mutating func byte() throws(CBORError) -> UInt8 {
    guard position < bytes.endIndex else { throw .malformed }
    defer { position += 1 }
    return bytes[position]
  }

  private mutating func take(_ count: UInt64) throws(CBORError) -> ArraySlice<UInt8> {
    guard let count = Int(exactly: count), count <= remaining else { throw .malformed }
    defer { position += count }
    return bytes[position..<position + count]
  }

  private mutating func value(depth: Int) throws(CBORError) -> CBORValue {
    let first = try byte()
    let (major, information) = (first >> 5, first & 0x1F)
    // Major types of lists and maps; each level of them is one call deeper.
    if major == 4 || major == 5, depth >= Self.maximumDepth { throw .tooMuch }
    switch major {
    case 0: return .unsigned(try argument(information))
    case 1: return .negative(try argument(information))
    case 2: return .bytes(Array(try take(try argument(information))))
    case 3:
      let content = try take(try argument(information))
      guard let text = String(validating: content, as: UTF8.self) else { throw .malformed }
      return .text(text)
    case 4: return .list(try list(try argument(information), depth: depth + 1))
    case 5: return .map(try map(try argument(information), depth: depth + 1))
    case 6: throw .unsupported
    default: return try simple(information)
    }
  }

  /// The argument of a head: a number or a length (RFC 8949, section 3).
  private mutating func argument(_ information: UInt8) throws(CBORError) -> UInt64 {
    switch information {
    case 0..<24: return UInt64(information)
    case 24...27:
      let count = 1 << UInt64(information - 24)
      return try take(UInt64(count)).reduce(0) { $0 << 8 | UInt64($1) }
    case 31: throw .indefinite
    default: throw .malformed
    }
  }

  private func simple(_ information: UInt8) throws(CBORError) -> CBORValue {
    switch information {
    case 20: return .flag(false)
    case 21: return .flag(true)
    case 22: return .null
    case 28...30: throw .malformed
    case 31: throw .indefinite
    default: throw .unsupported
    }
  }

  private mutating func list(_ count: UInt64, depth: Int) throws(CBORError) -> [CBORValue] {
    // Each element has one byte at least.
    guard count <= UInt64(remaining) else { throw .malformed }
    var values: [CBORValue] = []
    for _ in 0..<count { values.append(try value(depth: depth)) }
    return values
  }

  private mutating func map(_ count: UInt64, depth: Int) throws(CBORError) -> [CBORValue.Entry] {
    guard count <= UInt64(remaining / 2) else { throw .malformed }
    guard count <= UInt64(Self.maximumEntries) else { throw .tooMuch }
    var entries: [CBORValue.Entry] = []
    for _ in 0..<count {
      let key = try value(depth: depth)
      switch key {
      case .unsigned, .negative, .text: break
      default: throw .key
      }
      guard !entries.contains(where: { $0.key == key }) else { throw .key }
      entries.append(CBORValue.Entry(key: key, value: try value(depth: depth)))
    }
    return entries
  }
}
