import Core
import FoundationEssentials
import Glibc

/// Media in a folder of this machine.
public struct MediaFolder: MediaStore {
  /// The internal nginx location of the folder.
  public static let location = "/protected-media/"

  private let root: String

  public init(_ root: String) {
    self.root = root
  }

  /// Creates a folder that only the service can read, if needed.
  public static func make(_ path: String) throws(MediaError) {
    if access(path, F_OK) == 0 { return }
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch let error as CocoaError where error.code == .fileWriteOutOfSpace {
      throw .full
    } catch {
      throw .failed("cannot make \(path): \(error)")
    }
  }

  /// Files are made in place: `make` syncs them and their names to disk.
  public func write<Result, Failure: Error>(
    into folder: String, orThrow failure: (MediaError) -> Failure,
    _ make: (String) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let path = full(folder)
    do throws(MediaError) { try Self.make(path) } catch { throw failure(error) }
    return try make(path)
  }

  public func put(_ bytes: [UInt8], as path: String) throws(MediaError) {
    let folder = full(Self.folder(of: path))
    try Self.make(folder)
    let unfinished = "\(folder)/.\(UUID()).part"
    do {
      try Data(bytes).write(to: URL(fileURLWithPath: unfinished), options: .withoutOverwriting)
    } catch let error as CocoaError where error.code == .fileWriteOutOfSpace {
      unlink(unfinished)
      throw .full
    } catch {
      unlink(unfinished)
      throw .failed("cannot write \(unfinished): \(error)")
    }
    do throws(MediaError) {
      try put(file: unfinished, as: path)
    } catch {
      unlink(unfinished)
      throw error
    }
  }

  public func put(file: String, as path: String) throws(MediaError) {
    let folder = full(Self.folder(of: path))
    try Self.make(folder)
    do throws(FileOperationError) {
      // Readable for the group, which may include the web server.
      guard chmod(file, 0o640) == 0 else { throw FileOperationError("chmod", file) }
      try Self.sync(file)
      guard rename(file, full(path)) == 0 else { throw FileOperationError("rename", full(path)) }
      try Self.sync(folder)
    } catch {
      throw MediaError(error)
    }
  }

  public func read<Result, Failure: Error>(
    _ path: String, orThrow failure: (MediaError) -> Failure,
    _ use: (String) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    guard Self.status(full(path)) != nil else { return nil }
    return try use(full(path))
  }

  public func get(_ path: String, limit: Int) throws(MediaError) -> [UInt8]? {
    guard let size = try size(of: path) else { return nil }
    guard size <= limit else { throw .failed("\(path) is larger than \(limit) bytes") }
    guard let bytes = FileManager.default.contents(atPath: full(path)) else {
      // It may have been deleted a moment ago.
      if try self.size(of: path) == nil { return nil }
      throw .failed("cannot read \(path)")
    }
    return Array(bytes)
  }

  public func size(of path: String) throws(MediaError) -> Int? {
    Self.status(full(path)).map { Int($0.st_size) }
  }

  /// Hard links: they take no space.
  public func link(_ paths: [MediaLink]) throws(MediaError) {
    let folders = Set(paths.map { Self.folder(of: $0.new) })
    for folder in folders { try Self.make(full(folder)) }
    var made: [String] = []
    do throws(FileOperationError) {
      for path in paths {
        guard Glibc.link(full(path.old), full(path.new)) == 0 else {
          throw FileOperationError("link", full(path.old))
        }
        made.append(path.new)
      }
      for folder in folders { try Self.sync(full(folder)) }
    } catch {
      for path in made { unlink(full(path)) }
      throw MediaError(error)
    }
  }

  public func delete(_ paths: [String]) throws(MediaError) {
    for path in paths {
      guard unlink(full(path)) == 0 || errno == ENOENT else {
        throw MediaError(FileOperationError("unlink", full(path)))
      }
    }
  }

  public func deleteAll(at path: String) throws(MediaError) {
    do {
      try FileManager.default.removeItem(atPath: full(path))
    } catch let error as CocoaError where error.code == .fileNoSuchFile {
      // Deleted already.
    } catch {
      throw .failed("cannot remove \(path): \(error)")
    }
  }

  public func page(below folder: String, after mark: String?) throws(MediaError) -> MediaPage {
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: full(folder))) ?? []
    let files = names.compactMap { name -> MediaFile? in
      let path = "\(folder)/\(name)"
      guard let status = Self.status(full(path)) else { return nil }
      // A link to an older file has an old time of change, but a recent time of the status.
      let seconds = max(status.st_mtim.tv_sec, status.st_ctim.tv_sec)
      return MediaFile(
        path: path, size: Int(status.st_size),
        storedAt: Instant(milliseconds: Int64(seconds) * 1000))
    }
    return MediaPage(files: files.sorted { $0.path < $1.path })
  }

  public func location(of path: String) -> String { Self.location + path }

  public var isLocal: Bool { true }

  private func full(_ path: String) -> String { "\(root)/\(path)" }

  private static func folder(of path: String) -> String {
    path.split(separator: "/").dropLast().joined(separator: "/")
  }

  /// The status of a regular file; nil for anything else.
  private static func status(_ path: String) -> stat? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return status
  }

  /// Syncs a file's bytes, or a folder's names, to disk.
  private static func sync(_ path: String) throws(FileOperationError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileOperationError("open", path) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw FileOperationError("fsync", path) }
  }
}
