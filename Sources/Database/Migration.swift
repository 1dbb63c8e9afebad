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
  /// processes start at once. Throws `DatabaseFailure`.
  public func migrate(_ migrations: [Migration]) throws {
    var migrator = DatabaseMigrator()
    for migration in migrations {
      migrator.registerMigration(migration.name, foreignKeyChecks: .immediate) {
        try $0.execute(sql: migration.sql)
      }
    }
    try DatabaseFailure.translating { try migrator.migrate(writer) }
  }

  /// The names of those of `migrations` that have not run here yet.
  public func missing(of migrations: [Migration]) throws -> [String] {
    let applied = Set(try read { try $0.appliedMigrations() })
    return migrations.map(\.name).filter { !applied.contains($0) }
  }
}
