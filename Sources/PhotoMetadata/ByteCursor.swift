/// Reads bytes in order; returns nil past the end and never reads out of bounds.
struct ByteCursor {
  enum Order { case big, little }

  let bytes: [UInt8]
  private(set) var position: Int
  /// Exclusive end of the readable range.
  let end: Int

  init(_ bytes: [UInt8], from position: Int = 0, to end: Int? = nil) {
    self.bytes = bytes
    self.end = min(max(end ?? bytes.count, 0), bytes.count)
    self.position = min(max(position, 0), self.end)
  }

  init(_ bytes: [UInt8], in range: Range<Int>) {
    self.init(bytes, from: range.lowerBound, to: range.upperBound)
  }

  var left: Int { end - position }

  mutating func take(_ count: Int) -> Range<Int>? {
    guard count >= 0, count <= left else { return nil }
    defer { position += count }
    return position..<(position + count)
  }

  mutating func byte() -> UInt8? {
    guard left > 0 else { return nil }
    defer { position += 1 }
    return bytes[position]
  }

  /// An unsigned number of up to 4 bytes.
  mutating func number(_ count: Int, _ order: Order = .big) -> Int? {
    guard let range = take(count) else { return nil }
    var value = 0
    for index in range {
      let place = order == .big ? range.upperBound - 1 - index : index - range.lowerBound
      value |= Int(bytes[index]) << (8 * place)
    }
    return value
  }

  func starts(with mark: some Sequence<UInt8>) -> Bool {
    bytes[position..<end].starts(with: mark)
  }

  /// The bytes before a mark, which is skipped; nil if it isn't found.
  mutating func take(until mark: UInt8, within limit: Int = .max) -> Range<Int>? {
    let window = bytes[position..<min(end, position + min(limit, left))]
    guard let found = window.firstIndex(of: mark) else { return nil }
    defer { position = found + 1 }
    return position..<found
  }
}

enum BigEndian {
  static func bytes(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}
