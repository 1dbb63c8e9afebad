import Glibc

/// An open photo, optionally locked against a second writer.
///
/// It is read into memory and not mapped: with a mapped file, truncation or a disk error would end
/// the whole process instead of one request.
struct PhotoBytes: ~Copyable {
  let bytes: [UInt8]
  private let descriptor: Int32

  /// Throws `permission`, `read`, and `write(.locked)` if another process or thread is saving this
  /// photo.
  init(_ path: String, locked: Bool = false) throws(PhotoError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { throw .reading(errno) }
    do throws(PhotoError) {
      if locked { try Self.lock(descriptor, path) }
      bytes = try Self.readAll(descriptor)
    } catch {
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
  }

  deinit {
    // `close` alone releases the lock only after every child that is being started has closed its
    // copy.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  private static func lock(_ descriptor: Int32, _ path: String) throws(PhotoError) {
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw .writing(errno) }
    // Another save may have replaced the file between open and flock.
    var (opened, named) = (stat(), stat())
    guard fstat(descriptor, &opened) == 0, lstat(path, &named) == 0,
      opened.st_ino == named.st_ino, opened.st_dev == named.st_dev
    else { throw .write(.locked) }
  }

  private static func readAll(_ descriptor: Int32) throws(PhotoError) -> [UInt8] {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw .read(.failed("not a file"))
    }
    guard status.st_size <= PhotoLimits.bytes else { throw .read(.tooManyBytes) }
    let size = Int(status.st_size)
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, filled in
      while filled < size {
        let count = read(descriptor, buffer.baseAddress.map { $0 + filled }, size - filled)
        if count < 0 && errno == EINTR { continue }
        if count < 0 { failure = errno }
        guard count > 0 else { break }
        filled += count
      }
    }
    guard failure == 0 else { throw .reading(failure) }
    guard bytes.count == size else { throw .read(.failed("the file got shorter")) }
    return bytes
  }
}
