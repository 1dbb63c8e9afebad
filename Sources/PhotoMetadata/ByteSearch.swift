import Glibc

enum ByteSearch {
  /// Whether the bytes contain a mark, from an offset on.
  static func contains(_ mark: String, in bytes: [UInt8], from start: Int = 0) -> Bool {
    let mark = Array(mark.utf8)
    guard let first = mark.first else { return true }
    return bytes.withUnsafeBytes { buffer in
      guard let base = buffer.baseAddress else { return false }
      // The mark does not fit into the last bytes.
      let end = buffer.count - mark.count + 1
      var position = start
      while position < end, let hit = memchr(base + position, Int32(first), end - position) {
        if memcmp(hit, mark, mark.count) == 0 { return true }
        position = base.distance(to: UnsafeRawPointer(hit)) + 1
      }
      return false
    }
  }
}
