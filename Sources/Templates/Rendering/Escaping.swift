extension Output {
  /// Appends a text with `&`, `<`, `>`, `"` and `'` escaped, which is safe in an element's content
  /// and in a quoted attribute.
  public mutating func append(escaping text: String) {
    withBytes(of: text) { appendEscaped($0, count: $1) }
  }

  /// Copies eight bytes at a time; only blocks with a character to escape are processed byte by
  /// byte.
  mutating func appendEscaped(_ start: UnsafePointer<UInt8>, count length: Int) {
    reserve(length)
    var read = 0
    while length - read >= 8 {
      let block = UnsafeRawPointer(start + read).loadUnaligned(as: UInt64.self)
      if needsEscaping(block) {
        appendSlowly(start + read, count: 8, following: length - read - 8)
      } else {
        UnsafeMutableRawPointer(base + count).storeBytes(of: block, as: UInt64.self)
        advance(8)
      }
      read += 8
    }
    appendSlowly(start + read, count: length - read, following: 0)
  }

  private mutating func appendSlowly(
    _ start: UnsafePointer<UInt8>, count length: Int, following: Int
  ) {
    reserve(length * 6 + following)
    var write = base + count
    for index in 0..<length {
      let byte = start[index]
      // All characters to escape are between " (34) and > (62); most bytes of a text are not.
      if byte &- 34 > 28 {
        write.pointee = byte
        write += 1
      } else {
        write += Self.escape(byte, to: write)
      }
    }
    advance(write - (base + count))
  }

  private static func escape(_ byte: UInt8, to write: UnsafeMutablePointer<UInt8>) -> Int {
    let entity: StaticString
    switch byte {
    case UInt8(ascii: "&"): entity = "&amp;"
    case UInt8(ascii: "<"): entity = "&lt;"
    case UInt8(ascii: ">"): entity = "&gt;"
    case UInt8(ascii: "\""): entity = "&quot;"
    case UInt8(ascii: "'"): entity = "&#39;"
    default:
      write.pointee = byte
      return 1
    }
    write.update(from: entity.utf8Start, count: entity.utf8CodeUnitCount)
    return entity.utf8CodeUnitCount
  }
}

/// Whether one of eight bytes has to be escaped.
///
/// `&` and `'` differ in the lowest bit alone, `<` and `>` in the second.
@inline(__always)
private func needsEscaping(_ block: UInt64) -> Bool {
  let ones: UInt64 = 0x0101_0101_0101_0101
  let ampersand = (block | ones) ^ (ones &* 0x27)
  let angle = (block | (ones &* 2)) ^ (ones &* 0x3E)
  let quote = block ^ (ones &* 0x22)
  // A zero byte borrows, which sets its highest bit.
  let zeros =
    ((ampersand &- ones) & ~ampersand) | ((angle &- ones) & ~angle) | ((quote &- ones) & ~quote)
  return zeros & (ones &* 0x80) != 0
}
