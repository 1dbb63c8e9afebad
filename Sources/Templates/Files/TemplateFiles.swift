import Core
import Foundation

/// The template files of a directory.
struct TemplateFiles {
  static let ending = ".mustache"

  let directory: String

  /// The directory may be a symbolic link.
  init(directory: String) {
    self.directory = URL(fileURLWithPath: directory).resolvingSymlinksInPath().path
  }

  /// The sources by name: `feed/feed` for `feed/feed.mustache`.
  ///
  /// Throws if the directory or a file cannot be read.
  func sources() throws -> [String: [UInt8]] {
    var sources: [String: [UInt8]] = [:]
    for path in try paths() {
      let name = String(path.dropLast(Self.ending.count))
      sources[name] = Array(try Data(contentsOf: URL(fileURLWithPath: "\(directory)/\(path)")))
    }
    return sources
  }

  private func paths() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: directory)
      .filter { $0.hasSuffix(Self.ending) }
  }

  /// The sizes and times of the files, and of the catalogues in the other directory. A file that
  /// cannot be read counts as absent.
  func state(withCatalogues catalogues: String?) -> [String: FileState] {
    var files = ((try? paths()) ?? []).map { "\(directory)/\($0)" }
    if let catalogues {
      files += Language.allCases.map { Catalogues.path(of: $0, in: catalogues) }
    }
    var states: [String: FileState] = [:]
    for file in files {
      states[file] = FileState(of: file)
    }
    return states
  }
}

/// Identifies a version of a file. Its modification time can be set back; its change time (ctime)
/// can't.
struct FileState: Equatable, CustomStringConvertible {
  private let seconds: Int
  private let nanoseconds: Int
  private let changedSeconds: Int
  private let changedNanoseconds: Int
  private let size: Int
  private let number: UInt64

  init?(of path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    seconds = Int(status.st_mtim.tv_sec)
    nanoseconds = Int(status.st_mtim.tv_nsec)
    changedSeconds = Int(status.st_ctim.tv_sec)
    changedNanoseconds = Int(status.st_ctim.tv_nsec)
    size = Int(status.st_size)
    number = UInt64(status.st_ino)
  }

  var description: String {
    "\(seconds) \(nanoseconds) \(changedSeconds) \(changedNanoseconds) \(size) \(number)"
  }
}
