import Glibc

/// Reads a new file back through a small buffer, so that the largest photo is not in memory twice.
enum WriteVerification {
  private static let space = 131_072

  /// The file's content without bulk pixel data; nil if it differs in any byte from the intended
  /// file.
  static func comparableContent(of path: String, as new: PhotoAssembly) throws(PhotoError)
    -> [UInt8]?
  {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { throw .reading(errno) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_size == new.count else { return nil }
    var comparableContent: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: space)
    for piece in new.pieces {
      var position = piece.range.lowerBound
      while position < piece.range.upperBound {
        let wanted = min(space, piece.range.upperBound - position)
        let count = read(descriptor, &buffer, wanted)
        if count < 0 && errno == EINTR { continue }
        guard count >= 0 else { throw .reading(errno) }
        guard count > 0, same(buffer, piece.bytes, at: position, count) else { return nil }
        if !piece.isBulk { comparableContent += buffer[..<count] }
        position += count
      }
    }
    return comparableContent
  }

  private static func same(_ one: [UInt8], _ other: [UInt8], at place: Int, _ count: Int) -> Bool {
    one.withUnsafeBytes { one in
      other.withUnsafeBytes { other in
        guard let one = one.baseAddress, let other = other.baseAddress else { return false }
        return memcmp(one, other + place, count) == 0
      }
    }
  }
}
