import Glibc

/// An error of the key file.
public enum KeyFileError: Error, Equatable, CustomStringConvertible {
  case missing(String)
  /// The contents are not in the format of this program.
  case unreadable(String)
  /// Readable by other users than the owner.
  case tooOpen(String)
  /// The system call failed, with its `errno`.
  case system(path: String, code: Int32)

  public var description: String {
    switch self {
    case .missing(let path): "\(path) is missing"
    case .unreadable(let path): "\(path) is damaged: restore it from a backup"
    case .tooOpen(let path): "\(path) is accessible to other users: run chmod 600 \(path)"
    case .system(let path, let code): "\(path): \(String(cString: strerror(code)))"
    }
  }
}

/// Files that only their owner may read.
public enum SecretFiles {
  private static let sizeLimit = 1 << 20

  /// Reads a whole file; fails if other users can read it. Throws `KeyFileError`.
  public static func read(_ path: String) throws(KeyFileError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw errno == ENOENT ? .missing(path) : .system(path: path, code: errno)
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .system(path: path, code: errno) }
    guard status.st_mode & 0o077 == 0 else { throw .tooOpen(path) }
    guard status.st_size <= sizeLimit else { throw .unreadable(path) }

    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    var filled = 0
    while filled < bytes.count {
      let count = bytes.withUnsafeMutableBytes { buffer in
        Glibc.read(descriptor, buffer.baseAddress.map { $0 + filled }, buffer.count - filled)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw .unreadable(path) }
      filled += count
    }
    return bytes
  }

  /// Creates a directory with mode 700, and its parents with the default mode. Throws
  /// `KeyFileError`.
  public static func makeDirectory(_ path: String) throws(KeyFileError) {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
      throw .system(path: path, code: errno)
    }
    try makeParents(String(path[..<slash]))
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw .system(path: path, code: errno)
    }
  }

  private static func makeParents(_ path: String) throws(KeyFileError) {
    if mkdir(path, 0o755) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
      throw .system(path: path, code: errno)
    }
    try makeParents(String(path[..<slash]))
    guard mkdir(path, 0o755) == 0 || errno == EEXIST else {
      throw .system(path: path, code: errno)
    }
  }

  /// Writes a file with mode 600 unless one of that name exists, which is then kept. Readers never
  /// see a partial file. Throws `KeyFileError`.
  public static func publish(
    _ bytes: [UInt8], name: String, in directory: String
  ) throws(KeyFileError) {
    let path = "\(directory)/\(name)"
    let temporary = "\(path).\(Base64URL.text(RandomBytes.make(9)))"
    try write(bytes, to: temporary)
    defer { unlink(temporary) }
    // Creating a hard link is atomic and never replaces a file: the first process wins.
    guard link(temporary, path) == 0 || errno == EEXIST else {
      throw .system(path: path, code: errno)
    }
    try sync(directory)
  }

  /// Replaces a file with mode 600 atomically: readers, also after a crash, see the old one or the
  /// new one. Throws `KeyFileError`.
  public static func replace(
    _ bytes: [UInt8], name: String, in directory: String
  ) throws(KeyFileError) {
    let path = "\(directory)/\(name)"
    let temporary = "\(path).\(Base64URL.text(RandomBytes.make(9)))"
    try write(bytes, to: temporary)
    guard rename(temporary, path) == 0 else {
      let code = errno
      unlink(temporary)
      throw .system(path: path, code: code)
    }
    try sync(directory)
  }

  /// Calls `work` while holding the lock of a directory across processes. Throws `KeyFileError` and
  /// the errors of `work`.
  public static func withLock<Result>(
    on directory: String, _ work: () throws -> Result
  ) throws -> Result {
    let folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw KeyFileError.system(path: directory, code: errno) }
    defer { close(folder) }
    while flock(folder, LOCK_EX) != 0 {
      guard errno == EINTR else { throw KeyFileError.system(path: directory, code: errno) }
    }
    return try work()
  }

  private static func sync(_ directory: String) throws(KeyFileError) {
    let folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw .system(path: directory, code: errno) }
    defer { close(folder) }
    guard fsync(folder) == 0 else { throw .system(path: directory, code: errno) }
  }

  private static func write(_ bytes: [UInt8], to path: String) throws(KeyFileError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .system(path: path, code: errno) }
    defer { close(descriptor) }
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        Glibc.write(descriptor, buffer.baseAddress.map { $0 + written }, buffer.count - written)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else {
        let code = errno
        unlink(path)
        throw .system(path: path, code: code)
      }
      written += count
    }
    guard fsync(descriptor) == 0 else {
      let code = errno
      unlink(path)
      throw .system(path: path, code: code)
    }
  }
}
