import Database

/// Throws `BackupError` if the secrets of a data folder don't open its database. With nil only the
/// secrets themselves are checked, since the database can't be queried.
public typealias KeyCheck = @Sendable (DataLayout, ReadTransaction?) throws -> Void

/// The parts of a data folder that are backed up, and their paths: the same in both folders.
public struct DataLayout: Sendable {
  static let databaseName = "pairspot.sqlite"
  static let mediaName = "media"
  static let secretsName = "secrets"
  /// SQLite's additional files of a database that was not closed.
  static let besideDatabase = ["\(databaseName)-wal", "\(databaseName)-shm"]

  public let folder: String

  public init(_ folder: String) {
    self.folder = folder
  }

  public var database: String { "\(folder)/\(Self.databaseName)" }
  public var media: String { "\(folder)/\(Self.mediaName)" }
  public var secrets: String { "\(folder)/\(Self.secretsName)" }
}
