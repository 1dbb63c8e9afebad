import Glibc

/// The part of a body that is in memory; finds the next boundary in it.
final class MultipartBuffer {
  private static let capacity = 65_536

  private let read: (UnsafeMutableRawBufferPointer) throws -> Int
  /// CRLF, two hyphens and the boundary (RFC 2046, section 5.1.1).
  private let delimiter: [UInt8]
  private var bytes = [UInt8](repeating: 0, count: capacity)
  private var start = 0
  private var end = 0

  init(boundary: [UInt8], read: @escaping (UnsafeMutableRawBufferPointer) throws -> Int) {
    self.read = read
    delimiter = Array("\r\n--".utf8) + boundary
    // As if a line had ended before the body, so that the first boundary is like all others.
    bytes[0] = 0x0D
    bytes[1] = 0x0A
    end = 2
  }

  /// Passes the bytes up to the next boundary to `take`, piece by piece, and skips the boundary.
  /// Throws `FormError.truncated` if there is none, and the errors of `take`.
  func upToBoundary(_ take: (UnsafeRawBufferPointer) throws -> Void) throws {
    while true {
      let (length, found) = content()
      if length > 0 {
        try bytes.withUnsafeBytes { buffer in
          try take(UnsafeRawBufferPointer(rebasing: buffer[start..<start + length]))
        }
        start += length
      }
      if found {
        start += delimiter.count
        return
      }
      guard try fill() else { throw FormError.truncated }
    }
  }

  /// The next line without its CRLF, at most `limit` bytes long. Throws `FormError`.
  func line(limit: Int) throws -> [UInt8] {
    var searched = 0
    while true {
      if let length = lineLength(from: searched) {
        guard length <= limit else { throw FormError.tooLarge }
        defer { start += length + 2 }
        return Array(bytes[start..<start + length])
      }
      guard end - start <= limit + 1 else { throw FormError.tooLarge }
      // The last byte may be the first half of a CRLF.
      searched = max(0, end - start - 1)
      guard try fill() else { throw FormError.truncated }
    }
  }

  /// Skips these bytes if they come next; false if others do. Throws `FormError.truncated` if the
  /// body ends before that is known.
  func skip(_ expected: [UInt8]) throws -> Bool {
    while end - start < expected.count {
      guard expected.starts(with: bytes[start..<end]) else { return false }
      guard try fill() else { throw FormError.truncated }
    }
    guard bytes[start..<end].starts(with: expected) else { return false }
    start += expected.count
    return true
  }

  /// Reads and discards the rest of the body.
  func drain() throws {
    repeat { start = end } while try fill()
  }

  /// The number of bytes that are certainly content, and whether a boundary follows them.
  private func content() -> (length: Int, found: Bool) {
    bytes.withUnsafeBytes { buffer in
      let window = UnsafeRawBufferPointer(rebasing: buffer[start..<end])
      if let place = place(in: window) { return (place, true) }
      return (window.count - heldBack(window), false)
    }
  }

  /// The position of the first complete boundary.
  private func place(in window: UnsafeRawBufferPointer) -> Int? {
    guard let first = window.baseAddress else { return nil }
    var place = 0
    while window.count - place >= delimiter.count {
      // memchr compares many bytes at a time.
      let space = window.count - place - delimiter.count + 1
      guard let hit = memchr(first + place, 0x0D, space) else { return nil }
      place = first.distance(to: UnsafeRawPointer(hit))
      if memcmp(first + place, delimiter, delimiter.count) == 0 { return place }
      place += 1
    }
    return nil
  }

  /// The number of last bytes that may be the beginning of a boundary. The only CR of a boundary is
  /// its first byte, so only the last CR is checked.
  private func heldBack(_ window: UnsafeRawBufferPointer) -> Int {
    let tail = window.suffix(delimiter.count - 1)
    guard let place = tail.lastIndex(of: 0x0D) else { return 0 }
    let rest = window[place...]
    return delimiter.starts(with: rest) ? rest.count : 0
  }

  private func lineLength(from searched: Int) -> Int? {
    var place = start + searched
    while place + 1 < end {
      if bytes[place] == 0x0D && bytes[place + 1] == 0x0A { return place - start }
      place += 1
    }
    return nil
  }

  /// Reads more bytes into the buffer; false at the end of the body.
  private func fill() throws -> Bool {
    if start > 0 {
      bytes.withUnsafeMutableBytes { buffer in
        guard let first = buffer.baseAddress else { return }
        memmove(first, first + start, end - start)
      }
      end -= start
      start = 0
    }
    let count = try bytes.withUnsafeMutableBytes { buffer in
      try read(UnsafeMutableRawBufferPointer(rebasing: buffer[end...]))
    }
    guard 0...(bytes.count - end) ~= count else { throw FormError.malformed }
    end += count
    return count > 0
  }
}
