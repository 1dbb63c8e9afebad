import Database

/// Throws `BackupError` if the secrets of a data folder don't open its database. With nil only the
/// secrets themselves are checked, since the database can't be queried.
public typealias KeyCheck = @Sendable (DataLayout, ReadTransaction?) throws -> Void

/// The parts of a data folder that are backed up, and their paths: the same in both folders.
public struct DataLayout: Sendable {
  static let databaseName = "pairspot.sqlite"
  /// In place of the database in a backup, if it is one of a server.
  static let dumpName = "pairspot.dump"
  static let mediaName = "media"
  static let secretsName = "secrets"
  /// SQLite's additional files of a database that was not closed.
  static let besideDatabase = ["\(databaseName)-wal", "\(databaseName)-shm"]

  public let folder: String
  /// The connection URI of the database; nil: it is the file in the folder.
  public let server: String?
  /// The folder of keys that several nodes share; nil: they are in the folder.
  private let sharedSecrets: String?

  public init(_ folder: String) {
    self.init(folder, server: nil)
  }

  public init(_ folder: String, server: String?, sharedSecrets: String? = nil) {
    self.folder = folder
    self.server = server
    self.sharedSecrets = sharedSecrets
  }

  public var database: String { "\(folder)/\(Self.databaseName)" }
  var dump: String { "\(folder)/\(Self.dumpName)" }
  public var media: String { "\(folder)/\(Self.mediaName)" }
  public var secrets: String { sharedSecrets ?? "\(folder)/\(Self.secretsName)" }

  /// The path of a part, "media" or "secrets", or of a file in it.
  func path(_ name: String) -> String {
    guard let sharedSecrets, "\(name)/".hasPrefix("\(Self.secretsName)/") else {
      return "\(folder)/\(name)"
    }
    return sharedSecrets + name.dropFirst(Self.secretsName.count)
  }

  /// The same database and shared keys, with another folder.
  func with(folder: String) -> DataLayout {
    DataLayout(folder, server: server, sharedSecrets: sharedSecrets)
  }

  /// Opens the database. Throws `StorageError`.
  func openDatabase() throws -> Database {
    if let server { return try Database(server: server) }
    return try Database(path: database)
  }

  /// Reads the database on a connection that is closed afterwards. Throws `StorageError`.
  func inspect<Result>(_ body: (ReadTransaction) throws -> Result) throws -> Result {
    if let server { return try Database.inspect(server: server, body) }
    return try Database.inspect(database, body)
  }
}
