/// What of a data folder a backup holds, and where it lies: the same below both.
public struct DataPlaces: Sendable {
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
