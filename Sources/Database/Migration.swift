import GRDB

/// A step from an older schema to a newer one. Published migrations never change.
public struct Migration: Sendable {
  /// Feature, number and purpose: "accounts 1: people, couples, sessions".
  public let name: String
  /// Statements separated by semicolons.
  public let sql: String

  public init(_ name: String, _ sql: String) {
    self.name = name
    self.sql = sql
  }
}

extension Database {
  /// Applies missing migrations, each in its own transaction. Safe if several processes start at
  /// once: each checks inside the transaction whether another one has applied it. (GRDB's own
  /// migrator checks before the transaction, so the second process would fail at an existing table.
  /// GRDB's table of applied migrations is used.) Throws `StorageError`.
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

  /// The names of the `migrations` that have not been applied.
  public func missing(of migrations: [Migration]) throws -> [String] {
    let applied = Set(try read { try $0.appliedMigrations() })
    return migrations.map(\.name).filter { !applied.contains($0) }
  }
}
