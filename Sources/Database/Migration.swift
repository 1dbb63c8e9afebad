import GRDB

/// A step from an older schema to a newer one. Published migrations never change.
public struct Migration: Sendable {
  /// Feature, number and purpose: "accounts 1: people, couples, sessions".
  public let name: String
  /// Statements separated by semicolons, for SQLite. `PostgreSQLSchema` translates them.
  public let sql: String
  /// Parts of the statements and what they are for PostgreSQL, if the translation does not suffice.
  let parts: KeyValuePairs<String, String>

  public init(_ name: String, _ sql: String) {
    self.init(name, sql, postgresql: [:])
  }

  /// A migration with parts that PostgreSQL writes differently: each part of the statements, which
  /// occurs once, and its replacement.
  public init(_ name: String, _ sql: String, postgresql parts: KeyValuePairs<String, String>) {
    self.name = name
    self.sql = sql
    self.parts = parts
  }
}

extension Database {
  /// Applies missing migrations, each in its own transaction. Safe if several processes start at
  /// once: each checks inside the transaction whether another one has applied it. (GRDB's own
  /// migrator checks before the transaction, so the second process would fail at an existing table.
  /// GRDB's table of applied migrations is used.) Throws `StorageError`.
  public func migrate(_ migrations: [Migration]) throws {
    switch engine {
    case .sqlite(let engine):
      try engine.withWriter { connection in
        let reader = ReadTransaction(.sqlite(connection), log: nil)
        let applied = Set(try reader.appliedMigrations())
        for migration in migrations where !applied.contains(migration.name) {
          try connection.inTransaction(.immediate) {
            try Self.run(migration, on: connection)
            return .commit
          }
        }
      }
    case .postgresql(let engine):
      let missing = Set(try missing(of: migrations))
      if !missing.isEmpty {
        try engine.apply(migrations.filter { missing.contains($0.name) })
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

extension ReadTransaction {
  /// The names of the applied migrations in order; empty if the database is not one of this
  /// program.
  public func appliedMigrations() throws -> [String] {
    switch session {
    case .sqlite:
      guard try exists("SELECT 1 FROM sqlite_master WHERE name = 'grdb_migrations'") else {
        return []
      }
      return try values("SELECT identifier FROM grdb_migrations ORDER BY rowid")
    case .postgresql:
      guard try exists("SELECT 1 WHERE to_regclass('applied_migrations') IS NOT NULL") else {
        return []
      }
      return try values("SELECT identifier FROM applied_migrations ORDER BY number")
    }
  }
}
