import Core
import Foundation
import Glibc
import Secrets

/// Operations on regular files: copying, reading and syncing. No links are followed.
enum PlainFile {
  private static let piece = 1 << 20

  struct CopiedFile {
    let size: Int64
    let sha256: String
    /// The permissions of the source file, as in `chmod`.
    let mode: Int
  }

  /// Size and modification time in ns; nil if missing or not a regular file.
  static func status(_ path: String) -> (size: Int64, changed: Int64)? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return (
      Int64(status.st_size),
      Int64(status.st_mtim.tv_sec) * 1_000_000_000
        + Int64(status.st_mtim.tv_nsec)
    )
  }

  /// An operator's path with links resolved, this once: below it none is followed. The path itself
  /// if it doesn't exist yet.
  static func real(_ path: String) -> String {
    guard let found = realpath(path, nil) else { return path }
    defer { free(found) }
    return String(cString: found)
  }

  /// The file system of a path; nil if it doesn't exist.
  static func disk(_ path: String) -> UInt64? {
    var status = stat()
    return stat(path, &status) == 0 ? UInt64(status.st_dev) : nil
  }

  /// The permissions of a file, as in `chmod`; nil if missing.
  static func mode(_ path: String) -> Int? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    return Int(status.st_mode & 0o777)
  }

  /// Whether the name exists, even as a dangling link.
  static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Copies a file into a new one with mode 600 and the same modification time; synced to disk on
  /// return. Nil if there is no such file (any more). Throws `BackupError`.
  static func copy(_ source: String, to target: String) throws -> CopiedFile? {
    let input = open(source, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard input >= 0 else {
      if errno == ENOENT { return nil }
      throw BackupError.system(source)
    }
    defer { close(input) }
    var status = stat()
    guard fstat(input, &status) == 0 else { throw BackupError.system(source) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw BackupError("\(source) is not a regular file")
    }
    let output = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard output >= 0 else { throw BackupError.system(target) }
    defer { close(output) }
    let copied = try copyContents(input, into: output, Int(status.st_mode & 0o777), source, target)
    // The time identifies unchanged files; if it can't be set, they are only copied again.
    var times = [status.st_mtim, status.st_mtim]
    futimens(output, &times)
    guard fsync(output) == 0 else { throw BackupError.system(target) }
    return copied
  }

  /// Size and hash of a file. Throws `BackupError`.
  static func measure(_ path: String) throws -> CopiedFile {
    let input = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard input >= 0 else { throw BackupError.system(path) }
    defer { close(input) }
    var status = stat()
    guard fstat(input, &status) == 0 else { throw BackupError.system(path) }
    return try copyContents(input, into: nil, Int(status.st_mode & 0o777), path, path)
  }

  private static func copyContents(
    _ input: Int32, into output: Int32?, _ mode: Int, _ source: String, _ target: String
  ) throws -> CopiedFile {
    var digest = RunningDigest()
    var size: Int64 = 0
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: piece, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = Glibc.read(input, buffer.baseAddress, piece)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw BackupError.system(source) }
      if count == 0 { break }
      let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
      digest.update(bytes)
      if let output { try write(bytes, to: output, target) }
      size += Int64(count)
    }
    return CopiedFile(size: size, sha256: Hex.text(digest.finish()), mode: mode)
  }

  private static func write(_ bytes: UnsafeRawBufferPointer, to output: Int32, _ path: String)
    throws
  {
    var written = 0
    while written < bytes.count {
      let count = Glibc.write(
        output, bytes.baseAddress.map { $0 + written }, bytes.count - written)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw BackupError.system(path) }
      written += count
    }
  }

  /// The content of a small file. Throws `BackupError`.
  static func read(_ path: String, maximumBytes: Int) throws -> [UInt8] {
    guard let status = status(path) else {
      throw BackupError(
        exists(path) ? "\(path) is not a regular file" : "\(path) is missing")
    }
    guard status.size <= Int64(maximumBytes) else { throw BackupError("\(path) is too large") }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw BackupError.system(path)
    }
    return Array(data)
  }

  /// Makes a folder with mode 700, and its parents. Throws `BackupError`.
  static func makeFolder(_ path: String) throws {
    if mkdir(path, 0o700) == 0 || (errno == EEXIST && isFolder(path)) { return }
    if errno == EEXIST { throw BackupError("\(path) exists and is not a folder") }
    guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
      throw BackupError.system(path)
    }
    try makeFolder(String(path[..<slash]))
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw BackupError.system(path) }
  }

  /// Renames a file or folder. Throws `BackupError`.
  static func move(_ old: String, to new: String) throws {
    guard rename(old, new) == 0 else { throw BackupError.system(old) }
  }

  /// Syncs a folder's entries to disk, so that they survive a crash of the machine. Throws
  /// `BackupError`.
  static func keepNames(in folder: String) throws {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw BackupError.system(folder) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw BackupError.system(folder) }
  }

  /// Syncs a file written by other code to disk. Throws `BackupError`.
  static func keep(_ path: String) throws {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw BackupError.system(path) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw BackupError.system(path) }
  }

  /// Deletes a folder with all its content, if it exists. Throws `BackupError`.
  static func removeFolder(_ path: String) throws {
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch CocoaError.fileNoSuchFile {
      return
    } catch {
      throw BackupError("cannot remove \(path): \(error.localizedDescription)")
    }
  }
}
