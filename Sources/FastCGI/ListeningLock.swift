import Glibc

/// The lock file beside a socket: locked by the listening process, whose id it contains. The kernel
/// releases the lock however the process ends.
///
/// The file stays when its process ends: removing it would let two servers lock two files of one
/// name. A process that takes over replaces it by a locked file of its own.
struct ListeningLock: Sendable {
  private let path: String
  /// The path of the file until it takes over.
  private let ownPath: String
  private let descriptor: Int32

  private init(path: String, ownPath: String, descriptor: Int32) {
    self.path = path
    self.ownPath = ownPath
    self.descriptor = descriptor
  }

  private static func path(for socket: String) -> String { socket + ".lock" }

  /// The lock of a path without a listener. Throws `FastCGIError.alreadyRunning`.
  static func take(for socket: String) throws -> ListeningLock {
    let path = path(for: socket)
    while true {
      let descriptor = try locked(path, for: socket)
      let lock = ListeningLock(path: path, ownPath: path, descriptor: descriptor)
      // Another process may have taken over between the two calls; then this locks a file without a
      // name.
      if lock.isInPlace { return lock }
      close(descriptor)
    }
  }

  /// A lock that takes over from another one later.
  static func own(for socket: String) throws -> ListeningLock {
    let path = path(for: socket)
    let ownPath = "\(path).\(getpid())"
    let descriptor = try locked(ownPath, for: socket)
    return ListeningLock(path: path, ownPath: ownPath, descriptor: descriptor)
  }

  /// Makes this the lock of the path and writes the process id. Throws `FastCGIError`; then the
  /// previous file is still there.
  func takePlace() throws {
    try write()
    guard ownPath == path || rename(ownPath, path) == 0 else {
      throw FastCGIError.system(call: "rename", path: path, code: errno)
    }
  }

  /// Writes the process id to the file. Throws `FastCGIError` if there is no space for it.
  func write() throws {
    let text = Array("\(getpid())\n".utf8)
    guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, text, text.count, 0) == text.count
    else { throw FastCGIError.system(call: "write", path: ownPath, code: errno) }
  }

  /// Deletes the file of a lock that never took over.
  func removeOwn() {
    if ownPath != path { unlink(ownPath) }
  }

  func unblock() {
    // Closing alone doesn't release the lock until every child being started has closed its copy.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// The process that listens at a path, or did last; nil if none ever did.
  static func owner(of socket: String) -> pid_t? {
    let descriptor = open(path(for: socket), O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 20)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 1 else { return nil }
    return pid_t(String(decoding: bytes[..<(count - 1)], as: UTF8.self))
  }

  private var isInPlace: Bool {
    var (mine, named) = (stat(), stat())
    return fstat(descriptor, &mine) == 0 && stat(path, &named) == 0
      && mine.st_ino == named.st_ino && mine.st_dev == named.st_dev
  }

  private static func locked(_ path: String, for socket: String) throws -> Int32 {
    let lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0 else {
      throw FastCGIError.system(call: "open", path: path, code: errno)
    }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      close(lock)
      guard code == EWOULDBLOCK else {
        throw FastCGIError.system(call: "flock", path: path, code: code)
      }
      throw FastCGIError.alreadyRunning(path: socket)
    }
    return lock
  }
}
