extension QRCode {
  /// The code with its border as a drawing of its own (SVG 2).
  public var svg: String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(svgSide) \(svgSide)" \
    shape-rendering="crispEdges"><path fill="#fff" d="M0 0h\(svgSide)v\(svgSide)H0z"/>\
    <path d="\(svgPath)"/></svg>
    """
  }

  /// The code with its border as a picture of two colours (RFC 2083), `scale` px a module. A square
  /// of black and white hardly gets smaller than one bit a px, so it is stored as it is.
  public func png(scale: Int) -> [UInt8] {
    let scale = max(1, min(scale, 64))
    let side = svgSide * scale
    var rows: [UInt8] = []
    for row in -Self.quietZone..<(size + Self.quietZone) {
      let line = packed(row, scale: scale)
      for _ in 0..<scale { rows += line }
    }
    // One bit of grey a px.
    let header = Self.big(UInt32(side)) + Self.big(UInt32(side)) + [1, 0, 0, 0, 0]
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
      + Self.chunk("IHDR", header) + Self.chunk("IDAT", Self.stored(rows))
      + Self.chunk("IEND", [])
  }

  /// One row of px: no filter, then the px from the highest bit down, 1 for white.
  private func packed(_ row: Int, scale: Int) -> [UInt8] {
    var bits: [UInt8] = []
    var (byte, count): (UInt8, Int) = (0, 0)
    for column in -Self.quietZone..<(size + Self.quietZone) {
      for _ in 0..<scale {
        byte = byte << 1 | (self[row, column] ? 0 : 1)
        count += 1
        if count == 8 {
          bits.append(byte)
          (byte, count) = (0, 0)
        }
      }
    }
    if count > 0 { bits.append(byte << UInt8(8 - count)) }
    return [0] + bits
  }

  private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
    let body = Array(type.utf8) + data
    return big(UInt32(data.count)) + body + big(checksum(body))
  }

  /// A zlib stream of stored blocks (RFC 1950; RFC 1951, section 3.2.4).
  private static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = [0x78, 0x01]
    for start in stride(from: 0, to: bytes.count, by: 65_535) {
      let block = bytes[start..<min(start + 65_535, bytes.count)]
      let length = UInt16(block.count)
      result.append(block.endIndex == bytes.count ? 1 : 0)
      for value in [length, ~length] { result += [UInt8(value & 0xFF), UInt8(value >> 8)] }
      result += block
    }
    var (a, b): (UInt32, UInt32) = (1, 0)
    for byte in bytes {
      a = (a + UInt32(byte)) % 65_521
      b = (b + a) % 65_521
    }
    return result + big(b << 16 | a)
  }

  private static func big(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(value >> $0 & 0xFF) }
  }

  private static let table: [UInt32] = (0..<256).map { number in
    (0..<8).reduce(UInt32(number)) { value, _ in
      value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1
    }
  }

  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(UInt32.max) { table[Int(($0 ^ UInt32($1)) & 0xFF)] ^ $0 >> 8 }
  }
}
