import Czlib

/// zlib compression of small blocks.
enum Deflate {
  static func pack(_ bytes: [UInt8]) -> [UInt8]? {
    var count = compressBound(UInt(bytes.count))
    var packed = [UInt8](repeating: 0, count: Int(count))
    guard compress2(&packed, &count, bytes, UInt(bytes.count), 6) == Z_OK else { return nil }
    return Array(packed.prefix(Int(count)))
  }

  /// Nil for broken data or more than `PhotoLimits.block` of output: a small block can expand to
  /// gigabytes.
  static func unpack(_ packed: ArraySlice<UInt8>) -> [UInt8]? {
    let packed = Array(packed)
    var space = 16_384
    while space <= PhotoLimits.block {
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
