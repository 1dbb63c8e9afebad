/// The checksum of ZIP entries (ISO 3309, the polynomial 0xEDB88320), computed piece by piece.
struct CRC32 {
  private var register: UInt32 = 0xFFFF_FFFF

  var value: UInt32 { ~register }

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    var current = register
    Self.table.withUnsafeBufferPointer { table in
      for byte in bytes {
        current = table[Int(UInt8(truncatingIfNeeded: current) ^ byte)] ^ current >> 8
      }
    }
    register = current
  }

  private static let table: [UInt32] = (0..<256).map { number in
    (0..<8).reduce(UInt32(number)) { value, _ in
      value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1
    }
  }
}
