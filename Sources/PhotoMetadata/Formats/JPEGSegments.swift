import Glibc

/// The segments of a JPEG up to its real end (ITU-T T.81, annex B): walks the scans, so an end
/// marker inside a thumbnail or after the picture has no effect.
enum JPEGSegments {
  struct Segment {
    let marker: UInt8
    /// Marker, length and content; for a scan its data, too.
    let whole: Range<Int>
    /// The bytes after the length.
    let content: Range<Int>
  }

  /// Visits every segment in order and returns the offset after the end-of-image marker. Throws
  /// `read(.damaged)` if it is missing.
  static func walk(_ bytes: [UInt8], visit: (Segment) throws(PhotoError) -> Void)
    throws(PhotoError) -> Int
  {
    var position = 2
    while true {
      guard let (marker, start) = marker(bytes, at: position) else { throw .read(.damaged) }
      switch marker {
      case 0xD9: return start + 2
      case 0x00, 0xD8, 0xD0...0xD7: throw .read(.damaged)
      case 0x01:
        position = start + 2
        continue
      default: break
      }
      var cursor = ByteCursor(bytes, from: start + 2)
      guard let length = cursor.number(2), let content = cursor.take(length - 2) else {
        throw .read(.damaged)
      }
      position = content.upperBound
      if marker == 0xDA {
        guard let end = endOfScan(bytes, from: position) else { throw .read(.damaged) }
        position = end
      }
      try visit(Segment(marker: marker, whole: start..<position, content: content))
    }
  }

  /// The marker at an offset, and the offset of its last `FF`: any number of fill bytes may precede
  /// it.
  private static func marker(_ bytes: [UInt8], at position: Int) -> (UInt8, Int)? {
    var index = position
    guard index < bytes.count, bytes[index] == 0xFF else { return nil }
    while index < bytes.count, bytes[index] == 0xFF { index += 1 }
    return index < bytes.count ? (bytes[index], index - 1) : nil
  }

  /// End of a scan's data: the first marker that is neither a stuffed zero nor a restart.
  private static func endOfScan(_ bytes: [UInt8], from start: Int) -> Int? {
    bytes.withUnsafeBytes { buffer -> Int? in
      guard let base = buffer.baseAddress else { return nil }
      var position = start
      while position < buffer.count,
        let hit = memchr(base + position, 0xFF, buffer.count - position)
      {
        let found = base.distance(to: UnsafeRawPointer(hit))
        var next = found + 1
        while next < buffer.count, buffer[next] == 0xFF { next += 1 }
        guard next < buffer.count else { return nil }
        switch buffer[next] {
        case 0x00, 0xD0...0xD7: position = next + 1
        default: return found
        }
      }
      return nil
    }
  }

  /// A segment with a content of at most 65,533 bytes.
  static func make(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
    [0xFF, marker] + BigEndian.bytes(content.count + 2, 2) + content
  }
}
