import Czlib

/// The chunks of a PNG up to its end (PNG specification, third edition, section 5).
enum PNGChunks {
  struct Chunk {
    let type: String
    /// Length, type and checksum included.
    let whole: Range<Int>
    let content: Range<Int>
    /// Whether the checksum is correct.
    let isSound: Bool
  }

  /// Visits every chunk up to `IEND`. Throws `read(.damaged)` if it is missing.
  static func walk(_ bytes: [UInt8], visit: (Chunk) throws(PhotoError) -> Void)
    throws(PhotoError)
  {
    var cursor = ByteCursor(bytes, from: PhotoFormat.pngMark.count)
    while true {
      let start = cursor.position
      guard let length = cursor.number(4), let type = cursor.take(4),
        let content = cursor.take(length), let checksum = cursor.number(4),
        bytes[type].allSatisfy({ isLetter($0) })
      else { throw .read(.damaged) }
      let chunk = Chunk(
        type: String(decoding: bytes[type], as: UTF8.self), whole: start..<cursor.position,
        content: content,
        isSound: checksum == self.checksum(bytes, type.lowerBound..<content.upperBound))
      try visit(chunk)
      if chunk.type == "IEND" { return }
    }
  }

  static func make(_ type: String, _ content: [UInt8]) -> [UInt8] {
    let body = Array(type.utf8) + content
    return BigEndian.bytes(content.count, 4) + body
      + BigEndian.bytes(checksum(body, 0..<body.count), 4)
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }

  private static func checksum(_ bytes: [UInt8], _ range: Range<Int>) -> Int {
    bytes[range].withUnsafeBufferPointer { buffer in
      Int(crc32(0, buffer.baseAddress, UInt32(buffer.count)))
    }
  }
}
