import Database
import Foundation

extension Configuration {
  /// The place of an instance's database.
  public enum DatabasePlace: Equatable, Sendable {
    /// A file in the data folder.
    case sqlite(path: String)
    /// A database of a server, at a connection URI (docs/developer/postgresql.md#connections).
    case postgresql(address: String)

    /// Opens it; an SQLite file is created if it does not exist. Throws `StorageError`.
    func open(log: StatementLog? = nil, holding retained: (any Sendable)? = nil) throws -> Database
    {
      switch self {
      case .sqlite(let path): try Database(path: path, log: log, holding: retained)
      case .postgresql(let address): try Database(server: address, log: log, holding: retained)
      }
    }

    /// Whether it was set up before. Throws `StorageError`.
    func hasData() throws -> Bool {
      switch self {
      case .sqlite(let path): FileManager.default.fileExists(atPath: path)
      case .postgresql: try !open().read { try $0.appliedMigrations() }.isEmpty
      }
    }
  }

  /// The place of this instance's database (`PAIRSPOT_DATABASE_URL`).
  public var database: DatabasePlace {
    databaseAddress.map { .postgresql(address: $0) } ?? .sqlite(path: databasePath)
  }
}

extension ConfigurationReader {
  /// The connection URI of a PostgreSQL server; nil if unset.
  mutating func databaseAddress(_ name: String) -> String? {
    let value = text(name, "")
    if value.isEmpty { return nil }
    let isAddress = ["postgresql://", "postgres://"].contains { value.hasPrefix($0) }
    if !isAddress { note("\(name): must start with postgresql://") }
    return value
  }

  /// The folder of secrets that several nodes share; nil if unset. Beside an SQLite file it is
  /// refused: the file and its keys are backed up and restored as one folder.
  mutating func secretsFolder(_ name: String) -> String? {
    guard isSet(name) else { return nil }
    if !isSet("PAIRSPOT_DATABASE_URL") { note("\(name): only with PAIRSPOT_DATABASE_URL") }
    return folder(name, "")
  }
}
