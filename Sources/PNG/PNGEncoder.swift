import Czlib

/// A minimal PNG encoder (RFC 2083) over zlib, for small generated images.
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
    let header = big(width) + big(height) + pixel.header + [0, 0, 0]
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
      + chunk("IHDR", header) + chunk("IDAT", compressed(lines)) + chunk("IEND", [])
  }

  private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
    let body = Array(type.utf8) + data
    return big(data.count) + body + big(Int(crc32(0, body, UInt32(body.count))))
  }

  private static func compressed(_ bytes: [UInt8]) -> [UInt8] {
    var count = compressBound(UInt(bytes.count))
    var result = [UInt8](repeating: 0, count: Int(count))
    let code = compress2(&result, &count, bytes, UInt(bytes.count), Z_BEST_SPEED)
    precondition(code == Z_OK, "zlib has no memory")
    return Array(result.prefix(Int(count)))
  }

  private static func big(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }
}
