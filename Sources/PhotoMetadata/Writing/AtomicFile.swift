import Core
import Glibc

/// A temporary file that is renamed when complete and on disk; removed otherwise.
final class AtomicFile {
  private static let ending = ".saving"

  let target: String
  let temporary: String
  private let folder: String
  private let descriptor: Int32
  private var exists = true

  private enum Name {}

  /// Throws `permission` or `write`.
  init(for target: String) throws(PhotoError) {
    var parts = target.split(separator: "/", omittingEmptySubsequences: false)
    let name = parts.popLast() ?? ""
    let folder = parts.joined(separator: "/")
    self.target = target
    self.folder = parts.isEmpty ? "." : folder.isEmpty ? "/" : folder
    temporary = "\(self.folder)/.\(name).\(ID<Name>.random())\(Self.ending)"
    descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      exists = false
      throw .writing(errno)
    }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    if exists { unlink(temporary) }
  }

  func write(_ bytes: [UInt8], _ range: Range<Int>) throws(PhotoError) {
    var position = range.lowerBound
    while position < range.upperBound {
      let count = bytes.withUnsafeBytes { buffer in
        Glibc.write(
          descriptor, buffer.baseAddress.map { $0 + position }, range.upperBound - position)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw .writing(errno) }
      position += count
    }
  }

  /// Syncs the content to disk. The name is synced with the folder after the rename.
  func sync() throws(PhotoError) {
    guard fsync(descriptor) == 0 else { throw .writing(errno) }
  }

  private func syncFolder() throws(PhotoError) {
    let opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard opened >= 0 else { throw .writing(errno) }
    defer { close(opened) }
    guard fsync(opened) == 0 else { throw .writing(errno) }
  }

  /// Replaces the target atomically, or takes its name, which must be free.
  func publish(replacing: Bool) throws(PhotoError) {
    if replacing {
      guard rename(temporary, target) == 0 else { throw .writing(errno) }
      exists = false
      try syncFolder()
      return
    }
    guard link(temporary, target) == 0 else { throw .writing(errno) }
    do throws(PhotoError) {
      try syncFolder()
    } catch {
      unlink(target)
      throw error
    }
  }

  /// Whether this is the name of a temporary file.
  static func isTemporary(_ name: String) -> Bool { name.hasPrefix(".") && name.hasSuffix(ending) }

  /// Removes temporary files of killed saves from a folder, if older than a moment.
  static func removeOrphans(in folder: String, olderThan moment: Instant) {
    guard let listing = opendir(folder) else { return }
    defer { closedir(listing) }
    while let entry = readdir(listing) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard isTemporary(name) else { continue }
      var status = stat()
      guard lstat("\(folder)/\(name)", &status) == 0,
        Int64(status.st_mtim.tv_sec) * 1000 < moment.milliseconds
      else { continue }
      unlink("\(folder)/\(name)")
    }
  }
}
