import Glibc
import Synchronization

/// A listening Unix socket with a lock file beside it.
///
/// A newer process may take both over from a running one: it listens under a name of its own and
/// then renames that to the path, so there is always a listener. Connections made before are
/// answered by the older process.
final class ListeningSocket: Sendable {
  private let path: String
  private let descriptor: Int32
  /// The inode of the socket's file: the path may belong to a newer process when this one ends.
  private let inode: ino_t
  private let lock: ListeningLock
  private let isClosed = Mutex(false)

  /// Binds `path` with mode 0660 and listens; replaces a socket left by a dead server, and with
  /// `takesOver` that of a running one too.
  ///
  /// Throws `FastCGIError`.
  init(path: String, backlog: Int32, takesOver: Bool) throws {
    self.path = path
    lock = takesOver ? try ListeningLock.own(for: path) : try ListeningLock.take(for: path)
    let first = takesOver ? "\(path).\(getpid())" : path
    do {
      try Self.removeStaleSocket(first)
      descriptor = try Self.bind(first, backlog: backlog)
    } catch {
      lock.removeOwn()
      lock.unblock()
      throw error
    }
    inode = Self.inode(of: first)
    // From here on `deinit` cleans up.
    if first == path {
      try lock.takePlace()
    } else {
      try takePlace(from: first)
    }
  }

  /// Takes over both files or none: if the second rename fails, on a full disk for example, the
  /// older server gets its socket back and is not affected.
  private func takePlace(from first: String) throws {
    let older = "\(path).older.\(getpid())"
    unlink(older)
    defer { unlink(older) }
    do {
      try lock.write()
      guard link(path, older) == 0 || errno == ENOENT else {
        throw FastCGIError.system(call: "link", path: older, code: errno)
      }
      guard rename(first, path) == 0 else {
        throw FastCGIError.system(call: "rename", path: path, code: errno)
      }
      do {
        try lock.takePlace()
      } catch {
        rename(older, path)
        throw error
      }
    } catch {
      unlink(first)
      lock.removeOwn()
      throw error
    }
  }

  deinit {
    shut()
  }

  /// The next connection; nil once `refuse()` was called and no connection is waiting.
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

  /// Refuses new connections; those already waiting are still returned by `accept()`.
  func refuse() {
    isClosed.withLock { if !$0 { shutdown(descriptor, Int32(SHUT_RDWR)) } }
  }

  /// Deletes the socket, unless a newer one has its name, and releases the lock.
  func shut() {
    isClosed.withLock { closed in
      guard !closed else { return }
      closed = true
      if Self.inode(of: path) == inode { unlink(path) }
      close(descriptor)
      lock.unblock()
    }
  }

  /// The inode of a path; 0 if it doesn't exist.
  private static func inode(of path: String) -> ino_t {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_ino : 0
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
    // The mode of the socket becomes the file's initial mode, less the umask.
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
