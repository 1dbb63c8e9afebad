import Database
import Foundation

/// The engine of a test that runs on both.
public enum TestEngine: CaseIterable, Sendable {
  case sqlite, postgresql

  /// The engine of tests of whole instances: the variable `TEST_DATABASE`, or SQLite.
  public static let ofInstances: TestEngine =
    ProcessInfo.processInfo.environment["TEST_DATABASE"] == "postgresql" ? .postgresql : .sqlite

  /// Opens a new, empty database and applies migrations.
  public func database(_ migrations: [Migration] = []) throws -> Database {
    let opened = try open(place())
    try opened.migrate(migrations)
    return opened
  }

  /// The path or address of a new database.
  public func place() throws -> String {
    switch self {
    case .sqlite: NSTemporaryDirectory() + "database-\(UUID().uuidString).sqlite"
    case .postgresql: try PostgreSQLServer.shared.newDatabase()
    }
  }

  public func open(_ place: String, log: StatementLog? = nil) throws -> Database {
    switch self {
    case .sqlite: try Database(path: place, log: log)
    case .postgresql: try Database(server: place, log: log)
    }
  }
}
