import Glibc

/// Reads and writes whole files; a written file is complete or does not exist.
package enum PictureFile {
  /// A file of at most `maximumBytes` bytes.
  package static func read(_ path: String, of maximumBytes: Int = PictureLimits.bytes)
    throws(PictureError)
    -> [UInt8]
  {
    try read(path, upTo: maximumBytes, of: maximumBytes)
  }

  /// The first bytes of a file of at most `maximumBytes` bytes: as many as
  /// `PictureFormat.recognise` needs.
  package static func head(_ path: String, of maximumBytes: Int = PictureLimits.bytes)
    throws(PictureError)
    -> [UInt8]
  {
    try read(path, upTo: PictureFormat.headLength, of: maximumBytes)
  }

  private static func read(_ path: String, upTo limit: Int, of maximumBytes: Int)
    throws(PictureError)
    -> [UInt8]
  {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { throw failure("cannot open \(path)") }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw .failed("\(path) is not a file")
    }
    guard status.st_size <= maximumBytes else { throw .tooManyBytes }
    let wanted = min(Int(status.st_size), limit)
    var bytes = [UInt8](repeating: 0, count: wanted)
    var filled = 0
    while filled < wanted {
      let count = bytes.withUnsafeMutableBytes { buffer in
        Glibc.read(descriptor, buffer.baseAddress.map { $0 + filled }, wanted - filled)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw failure("cannot read \(path)") }
      filled += count
    }
    return bytes
  }

  /// Writes and syncs a new file; readable by the group, for the web server.
  package static func write(_ bytes: [UInt8], to path: String) throws(PictureError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o640)
    guard descriptor >= 0 else { throw failure("cannot make \(path)") }
    defer { close(descriptor) }
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        Glibc.write(descriptor, buffer.baseAddress.map { $0 + written }, bytes.count - written)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw failure("cannot write \(path)") }
      written += count
    }
    guard fsync(descriptor) == 0 else { throw failure("cannot keep \(path)") }
  }

  /// Syncs a file, written by another process, to disk.
  package static func sync(_ path: String) throws(PictureError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw failure("cannot open \(path)") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure("cannot keep \(path)") }
  }

  /// Size of a regular file in bytes; nil if there is none, or it is not a regular file.
  package static func size(_ path: String) -> Int? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  /// Syncs the names in a folder to disk.
  package static func keepNames(in directory: String) throws(PictureError) {
    let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("cannot open \(directory)") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure("cannot keep \(directory)") }
  }

  /// The error with the text of the current `errno`.
  package static func failure(_ what: String) -> PictureError {
    let code = errno
    return [ENOSPC, EDQUOT].contains(code)
      ? .diskFull : .failed("\(what): \(String(cString: strerror(code)))")
  }
}
