import Database

/// Throws `BackupError` when the secrets of a data folder don't open what its database holds. With
/// nil only the secrets themselves are looked at: its database can't be asked.
public typealias KeyCheck = @Sendable (DataLayout, ReadTransaction?) throws -> Void

/// What of a data folder a backup holds, and where it lies: the same below both.
public struct DataLayout: Sendable {
  static let databaseName = "pairspot.sqlite"
  static let mediaName = "media"
  static let secretsName = "secrets"
  /// SQLite's own, beside a database that was not closed.
  static let besideDatabase = ["\(databaseName)-wal", "\(databaseName)-shm"]

  public let folder: String

  public init(_ folder: String) {
    self.folder = folder
  }

  public var database: String { "\(folder)/\(Self.databaseName)" }
  public var media: String { "\(folder)/\(Self.mediaName)" }
  public var secrets: String { "\(folder)/\(Self.secretsName)" }
}
