import Glibc

/// The file that libarchive writes to. After an error, or when it is given up, it discards what
/// follows and tells libarchive of success: after a failed write, libarchive 3.6 never frees its
/// buffers.
final class ZipOutput {
  private let descriptor: Int32
  private var isGivenUp = false
  /// The `errno` of the first failed write, 0 if there was none.
  private(set) var failure: Int32 = 0
  /// The number of bytes that were written.
  private(set) var length: UInt64 = 0

  /// Takes ownership of an open file.
  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Discards everything that is written from now on.
  func giveUp() { isGivenUp = true }

  func write(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes
    while !rest.isEmpty && !isGivenUp {
      let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else {
        failure = count < 0 ? errno : EIO
        isGivenUp = true
        return
      }
      length += UInt64(count)
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  /// Writes the file to the disk; returns false with `errno` if that fails.
  func sync() -> Bool { fsync(descriptor) == 0 }
}
