import Cgd
import Images

/// An ICC profile for RGB, kept byte for byte.
struct ColourProfile: Equatable {
  let bytes: [UInt8]

  /// Maximum size in bytes; more than any real display's or camera's profile.
  static let limit = 4 * 1_048_576

  /// The profile of a picture; nil if it has none, a broken one, or grey or CMYK samples, which are
  /// converted to sRGB (docs/developer/feed.md#pictures).
  init?(of header: PictureHeader) {
    guard header.colour == .rgb else { return nil }
    switch header.profile {
    case nil: return nil
    case .plain(let bytes): self.init(bytes)
    case .compressed(let packed):
      guard let bytes = Self.unpack(packed) else { return nil }
      self.init(bytes)
    }
  }

  /// ICC.1:2022, section 7.2: size first, colour space at 16, signature at 36.
  init?(_ bytes: [UInt8]) {
    guard (128...Self.limit).contains(bytes.count),
      bytes.prefix(4).reduce(0, { $0 << 8 | Int($1) }) <= bytes.count,
      bytes[16..<20].elementsEqual("RGB ".utf8), bytes[36..<40].elementsEqual("acsp".utf8)
    else { return nil }
    self.bytes = bytes
  }

  /// The profile compressed for a PNG.
  var packed: [UInt8]? {
    var count = compressBound(UInt(bytes.count))
    var packed = [UInt8](repeating: 0, count: Int(count))
    guard compress2(&packed, &count, bytes, UInt(bytes.count), 9) == Z_OK else { return nil }
    return Array(packed.prefix(Int(count)))
  }

  private static func unpack(_ packed: [UInt8]) -> [UInt8]? {
    var space = 65_536
    while space <= limit {
      var count = UInt(space)
      var bytes = [UInt8](repeating: 0, count: space)
      switch uncompress(&bytes, &count, packed, UInt(packed.count)) {
      case Z_OK: return Array(bytes.prefix(Int(count)))
      case Z_BUF_ERROR: space *= 4
      default: return nil
      }
    }
    return nil
  }
}
