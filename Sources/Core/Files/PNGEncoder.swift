/// A minimal PNG encoder (RFC 2083) without compression, for small generated images.
public enum PNGEncoder {
  /// The format of a pixel.
  public enum Pixel: Sendable {
    /// One bit per px, 1 for white, from the most significant bit on; each row starts with a new
    /// byte.
    case bits
    /// Three bytes per px: red, green, blue.
    case colours

    /// Bit depth and colour type of the IHDR chunk.
    fileprivate var header: [UInt8] {
      switch self {
      case .bits: [1, 0]
      case .colours: [8, 2]
      }
    }

    fileprivate func rowLength(_ width: Int) -> Int {
      switch self {
      case .bits: (width + 7) / 8
      case .colours: width * 3
      }
    }
  }

  /// Encodes an image of `width` times `height` px; `pixels` holds the rows from top to bottom.
  public static func encode(
    _ pixel: Pixel, width: Int, height: Int, pixels: [UInt8]
  ) -> [UInt8] {
    let length = pixel.rowLength(width)
    var lines: [UInt8] = []
    lines.reserveCapacity(pixels.count + height)
    for row in 0..<height {
      // Filter type 0: none.
      lines.append(0)
      lines += pixels[(row * length)..<((row + 1) * length)]
    }
    let header = big(UInt32(width)) + big(UInt32(height)) + pixel.header + [0, 0, 0]
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
      + chunk("IHDR", header) + chunk("IDAT", stored(lines)) + chunk("IEND", [])
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
