import Czlib

/// Compresses texts for ZIP (RFC 1951).
enum Deflate {
  /// zlib's wrapper (RFC 1950): two bytes before, four after.
  private static let (head, tail) = (2, 4)

  /// Nil if compression gains nothing.
  static func pack(_ bytes: [UInt8]) -> [UInt8]? {
    var count = compressBound(UInt(bytes.count))
    var packed = [UInt8](repeating: 0, count: Int(count))
    guard compress2(&packed, &count, bytes, UInt(bytes.count), Z_BEST_SPEED) == Z_OK,
      count > UInt(head + tail), Int(count) - head - tail < bytes.count
    else { return nil }
    return Array(packed[head..<Int(count) - tail])
  }
}
