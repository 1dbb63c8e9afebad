import Foundation

/// What stands in a backup's `manifest.json`: what it is, and every file with its size and hash.
public struct Manifest: Codable, Equatable, Sendable {
  static let name = "manifest.json"
  static let program = "PairSpot"
  static let currentFormat = 1
  /// Above what a million files make, in bytes.
  static let mostBytes = 1 << 30

  public struct File: Codable, Equatable, Sendable {
    /// Below the backup's folder.
    public let path: String
    /// In bytes.
    public let size: Int64
    /// In hexadecimal digits.
    public let sha256: String
    /// Who may read and write it in the data folder, as in `chmod`; in the backup all is for its
    /// owner alone. Backups from before this was noted don't say.
    public let mode: Int?
  }

  public let program: String
  public let format: Int
  /// When it was begun, in ms since 1970.
  public let madeAt: Int64
  /// The same for people.
  public let time: String
  /// Which one it is of its folder of backups, counted up: clocks are set back and forth, and what
  /// was made last is to be known all the same. Backups from before this was noted don't say.
  public let number: Int?
  /// The migrations that had run in its database.
  public let migrations: [String]
  public let files: [File]
  /// Files that rows speak of and that were missing already.
  public let missing: [String]
  /// Links, what else is no file, and what has a name that can't be kept, below the data folder: they
  /// are not in it. Backups from before this was noted don't say.
  public let leftOut: [String]?

  func encoded() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(self))
  }

  /// Reads the one of a backup's folder. Throws `BackupError`.
  static func read(in folder: String) throws -> Manifest {
    let path = "\(folder)/\(name)"
    let bytes = try PlainFile.read(path, most: mostBytes)
    guard let manifest = try? JSONDecoder().decode(Manifest.self, from: Data(bytes)),
      manifest.program == program
    else { throw BackupError("\(path) is damaged, or not PairSpot's") }
    guard manifest.format == currentFormat else {
      throw BackupError("\(path) has format \(manifest.format), which this program doesn't know")
    }
    try manifest.checkPaths()
    return manifest
  }

  /// Nothing in a backup may lie outside it, or come twice.
  private func checkPaths() throws {
    var seen: Set<String> = []
    for file in files {
      guard Self.isInside(file.path), file.size >= 0, seen.insert(file.path).inserted else {
        throw BackupError("\(Self.name) names “\(file.path)”, which no backup has")
      }
    }
    guard seen.contains(DataLayout.databaseName) else {
      throw BackupError("\(Self.name) names no database")
    }
  }

  static func isInside(_ path: String) -> Bool {
    if path == DataLayout.databaseName { return true }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count > 1, [DataLayout.mediaName, DataLayout.secretsName].contains(parts[0])
    else { return false }
    return parts.allSatisfy(FileTree.isPlain)
  }
}
