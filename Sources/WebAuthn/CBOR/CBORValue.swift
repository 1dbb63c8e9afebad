/// A value of CBOR (RFC 8949, section 3), of the kinds that WebAuthn uses.
enum CBORValue: Equatable, Sendable {
  /// An unsigned integer (major type 0).
  case unsigned(UInt64)
  /// The negative integer −1 − n (major type 1).
  case negative(UInt64)
  case bytes([UInt8])
  case text(String)
  case list([CBORValue])
  case map([Entry])
  case flag(Bool)
  case null

  /// A key of a map and its value; maps keep their order.
  struct Entry: Equatable, Sendable {
    let key: CBORValue
    let value: CBORValue
  }

  /// The number, if this is an integer that fits.
  var integer: Int64? {
    switch self {
    case .unsigned(let number): Int64(exactly: number)
    case .negative(let number): Int64(exactly: number).map { -1 - $0 }
    default: nil
    }
  }

  /// The value of a text key; nil if there is none or this is not a map.
  subscript(_ name: String) -> CBORValue? {
    guard case .map(let entries) = self else { return nil }
    return entries.first { $0.key == .text(name) }?.value
  }

  /// The value of an integer key; nil if there is none or this is not a map.
  subscript(_ number: Int64) -> CBORValue? {
    guard case .map(let entries) = self else { return nil }
    return entries.first { $0.key.integer == number }?.value
  }
}
