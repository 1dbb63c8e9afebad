import Glibc

/// What is wrong with the file of keys.
public enum KeyFileError: Error, Equatable, CustomStringConvertible {
  case missing(String)
  /// Not what this program wrote.
  case unreadable(String)
  /// Others than its owner may read it.
  case tooOpen(String)
  /// The system refused, with its reason.
  case system(path: String, code: Int32)

  public var description: String {
    switch self {
    case .missing(let path): "\(path) is missing"
    case .unreadable(let path): "\(path) is damaged: restore it from a backup"
    case .tooOpen(let path): "\(path) can be read by others: run chmod 600 \(path)"
    case .system(let path, let code): "\(path): \(String(cString: strerror(code)))"
    }
  }
}

/// Files that only their owner may read.
public enum SecretFiles {
  private static let sizeLimit = 1 << 20

  /// Reads a whole file that nobody else may read. Throws `KeyFileError`.
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

  /// Makes a directory with mode 700, and those above it with the usual mode. Throws
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

  /// Writes a file with mode 600 under a name, unless there is one of that name already: then
  /// that one stays. Nobody ever sees half of it. Throws `KeyFileError`.
  public static func publish(
    _ bytes: [UInt8], name: String, in directory: String
  ) throws(KeyFileError) {
    let path = "\(directory)/\(name)"
    let temporary = "\(path).\(Base64URL.text(RandomBytes.make(9)))"
    try write(bytes, to: temporary)
    defer { unlink(temporary) }
    // A hard link is made whole or not at all, and never replaces: the first process wins.
    guard link(temporary, path) == 0 || errno == EEXIST else {
      throw .system(path: path, code: errno)
    }
    try sync(directory)
  }

  /// Writes a file with mode 600 in the place of the one of that name: a reader, and a machine
  /// that stops in the middle, sees the old one or the new one. Throws `KeyFileError`.
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

  /// Does something while no other process holds the lock of a directory. Throws `KeyFileError`
  /// and what `work` throws.
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
