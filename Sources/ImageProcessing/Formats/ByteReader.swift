import Images

/// Reads a file's bytes in order; throws `PictureError.damaged` past the end.
struct ByteReader {
  let bytes: [UInt8]
  private(set) var position: Int
  /// Exclusive end of the readable range.
  let end: Int

  init(_ bytes: [UInt8], from position: Int = 0, to end: Int? = nil) {
    self.bytes = bytes
    self.end = min(max(end ?? bytes.count, 0), bytes.count)
    self.position = min(max(position, 0), self.end)
  }

  var left: Int { end - position }

  mutating func skip(_ count: Int) throws(PictureError) {
    _ = try take(count)
  }

  mutating func take(_ count: Int) throws(PictureError) -> Range<Int> {
    guard count >= 0, count <= left else { throw .damaged }
    defer { position += count }
    return position..<(position + count)
  }

  mutating func byte() throws(PictureError) -> UInt8 {
    bytes[try take(1).lowerBound]
  }

  /// An unsigned number of up to 4 bytes, most significant first.
  mutating func bigEndian(_ count: Int) throws(PictureError) -> Int {
    bytes[try take(count)].reduce(0) { $0 << 8 | Int($1) }
  }

  /// An unsigned number of up to 4 bytes, least significant first.
  mutating func littleEndian(_ count: Int) throws(PictureError) -> Int {
    bytes[try take(count)].reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  func starts(with mark: [UInt8]) -> Bool {
    left >= mark.count && bytes[position..<(position + mark.count)].elementsEqual(mark)
  }
}
