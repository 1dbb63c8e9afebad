import GRDB

/// One step from an older to a newer schema. Landed migrations never change; new ones follow.
public struct Migration: Sendable {
  /// Feature, number and purpose: "accounts 1: people, couples, sessions".
  public let name: String
  /// Statements divided by semicolons.
  public let sql: String

  public init(_ name: String, _ sql: String) {
    self.name = name
    self.sql = sql
  }
}

extension Database {
  /// Brings the schema up to date, each migration in a transaction of its own; safe when several
  /// processes start at once: each asks inside the transaction whether another was quicker. (GRDB's
  /// own migrator asks before it, so that the second one fails at the first table that is there
  /// already; the table in which it notes them is kept.) Throws `StorageError`.
  public func migrate(_ migrations: [Migration]) throws {
    try withWriter { connection in
      let applied = Set(try ReadTransaction(connection: connection, log: nil).appliedMigrations())
      for migration in migrations where !applied.contains(migration.name) {
        try connection.inTransaction(.immediate) {
          try Self.run(migration, on: connection)
          return .commit
        }
      }
    }
  }

  private static func run(_ migration: Migration, on connection: GRDB.Database) throws {
    try connection.execute(
      sql: "CREATE TABLE IF NOT EXISTS grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
    let isThere = try Bool.fetchOne(
      connection, sql: "SELECT EXISTS (SELECT 1 FROM grdb_migrations WHERE identifier = ?)",
      arguments: [migration.name])
    if isThere == true { return }
    try connection.execute(sql: migration.sql)
    try connection.execute(
      sql: "INSERT INTO grdb_migrations (identifier) VALUES (?)", arguments: [migration.name])
  }

  /// The names of those of `migrations` that have not run here yet.
  public func missing(of migrations: [Migration]) throws -> [String] {
    let applied = Set(try read { try $0.appliedMigrations() })
    return migrations.map(\.name).filter { !applied.contains($0) }
  }
}
