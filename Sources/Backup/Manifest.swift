import Foundation

/// The content of a backup's `manifest.json`: its description, and every file with size and hash.
public struct Manifest: Codable, Equatable, Sendable {
  static let name = "manifest.json"
  static let program = "PairSpot"
  static let currentFormat = 1
  /// The maximum size, in bytes: above that of a million files.
  static let maximumBytes = 1 << 30

  public struct File: Codable, Equatable, Sendable {
    /// Relative to the backup's folder.
    public let path: String
    /// In bytes.
    public let size: Int64
    /// In hexadecimal digits.
    public let sha256: String
    /// The permissions in the data folder, as in `chmod`; in the backup all is private to its
    /// owner. Nil in older backups, which lack it.
    public let mode: Int?
  }

  public let program: String
  public let format: Int
  /// When it was started, in ms since 1970.
  public let madeAt: Int64
  /// The same in readable form.
  public let time: String
  /// The sequence number in its folder of backups, which shows the last one even after the clock
  /// was changed. Nil in older backups, which lack it.
  public let number: Int?
  /// The migrations that had been applied to its database.
  public let migrations: [String]
  public let files: [File]
  /// Files that rows refer to and that were missing already.
  public let missing: [String]
  /// Links, other non-files, and names that can't be stored, below the data folder: not in the
  /// backup. Nil in older backups, which lack it.
  public let leftOut: [String]?
  /// The bucket with the media that are not in the backup: "https://s3.example/media"; nil for
  /// none.
  public var bucket: String?

  /// Whether the database is a dump of one of a server, not a file of SQLite.
  var isOfServer: Bool { files.contains { $0.path == DataLayout.dumpName } }

  func encoded() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(self))
  }

  /// Reads the manifest of a backup's folder. Throws `BackupError`.
  static func read(in folder: String) throws -> Manifest {
    let path = "\(folder)/\(name)"
    let bytes = try PlainFile.read(path, maximumBytes: maximumBytes)
    guard let manifest = try? JSONDecoder().decode(Manifest.self, from: Data(bytes)),
      manifest.program == program
    else { throw BackupError("\(path) is damaged, or not a PairSpot manifest") }
    guard manifest.format == currentFormat else {
      throw BackupError("\(path) has the unknown format \(manifest.format)")
    }
    try manifest.checkPaths()
    return manifest
  }

  /// Checks that no path is outside the backup, or occurs twice.
  private func checkPaths() throws {
    var seen: Set<String> = []
    for file in files {
      guard Self.isInside(file.path), file.size >= 0, seen.insert(file.path).inserted else {
        throw BackupError("\(Self.name) contains the invalid path “\(file.path)”")
      }
    }
    guard seen.contains(DataLayout.databaseName) != isOfServer else {
      throw BackupError("\(Self.name) lists no database, or two")
    }
  }

  static func isInside(_ path: String) -> Bool {
    if [DataLayout.databaseName, DataLayout.dumpName].contains(path) { return true }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count > 1, [DataLayout.mediaName, DataLayout.secretsName].contains(parts[0])
    else { return false }
    return parts.allSatisfy(FileTree.isPlain)
  }
}
