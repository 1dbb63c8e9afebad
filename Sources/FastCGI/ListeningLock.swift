import Glibc

/// The file beside a socket that says who listens there: locked by that process, whose number
/// stands in it. The kernel lets go of it however the process ends.
///
/// The file stays when its process ends: removing it would let two servers lock two files of one
/// name. A process that takes over puts a locked file of its own in its place.
struct ListeningLock: Sendable {
  private let path: String
  /// Where the file lies until it takes over.
  private let ownPath: String
  private let descriptor: Int32

  private init(path: String, ownPath: String, descriptor: Int32) {
    self.path = path
    self.ownPath = ownPath
    self.descriptor = descriptor
  }

  private static func path(for socket: String) -> String { socket + ".lock" }

  /// The lock of a path at which nobody listens. Throws `FastCGIError.alreadyRunning`.
  static func take(for socket: String) throws -> ListeningLock {
    let path = path(for: socket)
    while true {
      let descriptor = try locked(path, for: socket)
      let lock = ListeningLock(path: path, ownPath: path, descriptor: descriptor)
      // Somebody may have taken over between the two calls; then this locks a file without a name.
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

  /// From now on this is the lock of the path, and says whose. Throws `FastCGIError`; then what was
  /// there before is there still.
  func takePlace() throws {
    try write()
    guard ownPath == path || rename(ownPath, path) == 0 else {
      throw FastCGIError.system(call: "rename", path: path, code: errno)
    }
  }

  /// Has the file say whose it is. Throws `FastCGIError` where there is no room for that.
  func write() throws {
    let text = Array("\(getpid())\n".utf8)
    guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, text, text.count, 0) == text.count
    else { throw FastCGIError.system(call: "write", path: ownPath, code: errno) }
  }

  /// Takes away the file of a lock that never took over.
  func removeOwn() {
    if ownPath != path { unlink(ownPath) }
  }

  func unblock() {
    // Closing alone lets go only once every child that was just being started has closed its copy.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// The process that listens at a path, or did last; nil when none ever did.
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
