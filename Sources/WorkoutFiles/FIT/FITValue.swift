/// Reads numbers of FIT's base types, each with its invalid value.
enum FITValue {
  /// The number at a position, or the first one of an array; nil if it is invalid, and for strings.
  static func read(
    _ bytes: [UInt8], at place: Int, size: Int, type: UInt8, isBigEndian: Bool
  ) -> Double? {
    let width = width(of: type)
    guard width > 0, size >= width else { return nil }
    var raw: UInt64 = 0
    for offset in 0..<width {
      let byte = UInt64(bytes[place + (isBigEndian ? offset : width - 1 - offset)])
      raw = raw << 8 | byte
    }
    let ones = UInt64.max >> UInt64(64 - 8 * width)
    switch type & 0x1F {
    // enum, uint8, uint16, uint32, byte, uint64
    case 0, 2, 4, 6, 13, 15: return raw == ones ? nil : Double(raw)
    // uint8z, uint16z, uint32z, uint64z
    case 10, 11, 12, 16: return raw == 0 ? nil : Double(raw)
    // sint8, sint16, sint32, sint64
    case 1, 3, 5, 14:
      guard raw != ones >> 1 else { return nil }
      let shift = Int64(64 - 8 * width)
      return Double((Int64(bitPattern: raw) << shift) >> shift)
    case 8:
      let value = Float(bitPattern: UInt32(truncatingIfNeeded: raw))
      return raw == ones || !value.isFinite ? nil : Double(value)
    case 9:
      let value = Double(bitPattern: raw)
      return raw == ones || !value.isFinite ? nil : value
    default: return nil
    }
  }

  /// The bytes of one number; 0 for strings and unknown types.
  private static func width(of type: UInt8) -> Int {
    switch type & 0x1F {
    case 0, 1, 2, 10, 13: 1
    case 3, 4, 11: 2
    case 5, 6, 8, 12: 4
    case 9, 14, 15, 16: 8
    default: 0
    }
  }
}

/// FIT's checksum: CRC-16 with the polynomial 0xA001.
enum FITChecksum {
  private static let table: [UInt16] = (0..<256).map { index in
    (0..<8).reduce(UInt16(index)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xA001 : value >> 1 }
  }

  static func of(_ bytes: ArraySlice<UInt8>) -> UInt16 {
    bytes.reduce(0) { $0 >> 8 ^ table[Int(($0 ^ UInt16($1)) & 0xFF)] }
  }
}
