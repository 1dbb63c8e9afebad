import Czlib

/// Packs texts as ZIP has them (RFC 1951).
enum Deflate {
  /// zlib's wrapping around it (RFC 1950): two bytes before, four behind.
  private static let (head, tail) = (2, 4)

  /// Nil where packing gains nothing.
  static func pack(_ bytes: [UInt8]) -> [UInt8]? {
    var count = compressBound(UInt(bytes.count))
    var packed = [UInt8](repeating: 0, count: Int(count))
    guard compress2(&packed, &count, bytes, UInt(bytes.count), Z_BEST_SPEED) == Z_OK,
      count > UInt(head + tail), Int(count) - head - tail < bytes.count
    else { return nil }
    return Array(packed[head..<Int(count) - tail])
  }
}
