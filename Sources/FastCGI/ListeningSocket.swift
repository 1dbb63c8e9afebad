import Glibc
import Synchronization

/// A Unix socket of ours, with a lock beside it that says who listens.
final class ListeningSocket: Sendable {
  private let path: String
  private let descriptor: Int32
  private let lock: Int32
  private let isClosed = Mutex(false)

  /// Binds `path` with mode 0660 and listens; a socket left by a dead server is replaced.
  ///
  /// Throws `FastCGIError`.
  init(path: String, backlog: Int32) throws {
    self.path = path
    let lock = try Self.takeLock(for: path)
    do {
      try Self.removeStaleSocket(path)
      descriptor = try Self.bind(path, backlog: backlog)
    } catch {
      close(lock)
      throw error
    }
    self.lock = lock
  }

  deinit {
    shut()
  }

  /// The next connection, or nil once `refuse()` was called and none is waiting any more.
  func accept() -> Int32? {
    while true {
      let connection = Glibc.accept(descriptor, nil, nil)
      if connection >= 0 {
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        return connection
      }
      switch errno {
      case EINVAL, EBADF, ENOTSOCK: return nil
      case EMFILE, ENFILE, ENOBUFS, ENOMEM: usleep(50_000)
      default: break
      }
    }
  }

  /// Refuses connections from now on; those already waiting are still handed out.
  func refuse() {
    isClosed.withLock { if !$0 { shutdown(descriptor, Int32(SHUT_RDWR)) } }
  }

  /// Takes the socket away and lets go of the lock. The lock's file stays: removing it would let
  /// two servers lock two files of one name.
  func shut() {
    isClosed.withLock { closed in
      guard !closed else { return }
      closed = true
      unlink(path)
      close(descriptor)
      close(lock)
    }
  }

  private static func takeLock(for path: String) throws -> Int32 {
    let lockPath = path + ".lock"
    let lock = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0 else {
      throw FastCGIError.system(call: "open", path: lockPath, code: errno)
    }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      close(lock)
      guard code == EWOULDBLOCK else {
        throw FastCGIError.system(call: "flock", path: lockPath, code: code)
      }
      throw FastCGIError.alreadyRunning(path: path)
    }
    return lock
  }

  private static func removeStaleSocket(_ path: String) throws {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else { throw FastCGIError.notASocket(path: path) }
    unlink(path)
  }

  private static func bind(_ path: String, backlog: Int32) throws -> Int32 {
    var address = try address(path)
    let descriptor = socket(
      AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else {
      throw FastCGIError.system(call: "socket", path: path, code: errno)
    }
    // The socket's own mode is the file's mode from its first moment, less the umask.
    fchmod(descriptor, 0o660)
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.bind(descriptor, $0, size) }
    }
    guard bound == 0, chmod(path, 0o660) == 0, listen(descriptor, backlog) == 0 else {
      let code = errno
      close(descriptor)
      throw FastCGIError.system(call: "listen", path: path, code: code)
    }
    return descriptor
  }

  private static func address(_ path: String) throws -> sockaddr_un {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    try withUnsafeMutableBytes(of: &address.sun_path) { field in
      guard bytes.count < field.count else { throw FastCGIError.pathTooLong(path: path) }
      field.copyBytes(from: bytes)
    }
    return address
  }
}
