import Database
import Foundation

extension Configuration {
  /// The place of an instance's database.
  public enum DatabasePlace: Equatable, Sendable {
    /// A file in the data folder.
    case sqlite(path: String)
    /// A database of a server, at a connection URI (docs/developer/postgresql.md#connections).
    case postgresql(address: String)

    /// The place that a text names, `sqlite:PATH` or a connection URI; nil for any other.
    init?(_ text: String) {
      if Self.isAddress(text) {
        self = .postgresql(address: text)
      } else if text.hasPrefix("sqlite:"), text != "sqlite:" {
        self = .sqlite(path: String(text.dropFirst("sqlite:".utf8.count)))
      } else {
        return nil
      }
    }

    fileprivate static func isAddress(_ text: String) -> Bool {
      ["postgresql://", "postgres://"].contains { text.hasPrefix($0) }
    }

    /// The connection URI; nil for a file.
    var address: String? {
      if case .postgresql(let address) = self { address } else { nil }
    }

    /// Opens it; an SQLite file is created if it does not exist. Throws `StorageError`, also for a
    /// database that a restore or a move did not fill completely.
    func open(log: StatementLog? = nil, holding retained: (any Sendable)? = nil) throws -> Database
    {
      switch self {
      case .sqlite(let path): return try Database(path: path, log: log, holding: retained)
      case .postgresql(let address):
        let database = try Database(server: address, log: log, holding: retained)
        try database.refuseUnfinished()
        return database
      }
    }

    /// Reads it on a connection that is closed afterwards. Throws `StorageError`.
    func inspect<Result>(_ body: (ReadTransaction) throws -> Result) throws -> Result {
      switch self {
      case .sqlite(let path): try Database.inspect(path, body)
      case .postgresql(let address): try Database.inspect(server: address, body)
      }
    }

    /// Whether there is such a file; a server says so itself.
    var mayExist: Bool {
      switch self {
      case .sqlite(let path): FileManager.default.fileExists(atPath: path)
      case .postgresql: true
      }
    }

    /// The place for people, without a password. Throws `StorageError` for a wrong address.
    func shown() throws -> String {
      switch self {
      case .sqlite(let path): path
      case .postgresql(let address): try ServerAddress(address).description
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

extension Configuration {
  /// The number of connections to a server that the processes of `serve` need: one for each thread
  /// that may work at the same time, and some for commands.
  var databaseConnections: Int { processes * threads + WorkerQueues.all.count + 4 }
}

extension ConfigurationReader {
  /// The connection URI of a PostgreSQL server; nil if unset.
  mutating func databaseAddress(_ name: String) -> String? {
    let value = text(name, "")
    if value.isEmpty { return nil }
    if !Configuration.DatabasePlace.isAddress(value) {
      note("\(name): must start with postgresql://")
    }
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
