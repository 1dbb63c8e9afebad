import Glibc

/// A Bloom filter of passwords from known breaches. Each lookup reads a few bytes of the file, so
/// nothing is kept in memory.
///
/// The file has 8 bytes of `PSFILTR1`, the number of hashes and of entries (4 bytes each,
/// big-endian), and the bits. `deploy/scripts/make-password-filter.py` creates it.
final class PasswordFilter: Sendable {
  private static let magic = Array("PSFILTR1".utf8)
  private static let headLength = 16
  private static let maximumHashes: UInt32 = 64

  private let descriptor: Int32
  private let hashes: UInt32
  private let bits: UInt64

  /// Opens a file. Throws `KeyFileError` if it cannot be read or is not a filter.
  init(path: String) throws(KeyFileError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(path: path, code: errno) }
    var status = stat()
    var head = [UInt8](repeating: 0, count: Self.headLength)
    guard fstat(descriptor, &status) == 0,
      pread(descriptor, &head, head.count, 0) == head.count, head.starts(with: Self.magic),
      status.st_size > Self.headLength
    else {
      close(descriptor)
      throw .unreadable(path)
    }
    hashes = head[8..<12].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    bits = UInt64(status.st_size - Self.headLength) * 8
    guard (1...Self.maximumHashes).contains(hashes) else {
      close(descriptor)
      throw .unreadable(path)
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Whether a password is among the entries; false positives are about one in 60,000.
  func mayContain(_ folded: String) -> Bool {
    let digest = Digests.sha256(Array(folded.utf8))
    let first = Self.number(digest[0..<8])
    let second = Self.number(digest[8..<16])
    for number in 0..<UInt64(hashes) {
      let place = (first &+ number &* second) % bits
      var byte: UInt8 = 0
      let offset = Self.headLength + Int(place / 8)
      guard pread(descriptor, &byte, 1, offset) == 1, byte & (1 << (place % 8)) != 0 else {
        return false
      }
    }
    return true
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }
}
