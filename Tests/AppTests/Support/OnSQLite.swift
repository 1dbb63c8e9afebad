import Database
import PostgreSQLServer
import Testing

extension Trait where Self == ConditionTrait {
  /// For a test that only SQLite can pass: says why.
  static func onSQLite(_ reason: Comment) -> Self {
    .enabled(if: TestEngine.ofInstances == .sqlite, reason)
  }
}

extension Query {
  /// Deletes a trigger; on PostgreSQL with its function, which has the same name.
  static func dropTrigger(_ name: Query) -> Query {
    Query(sqlite: "DROP TRIGGER \(name)", postgresql: "DROP FUNCTION \(name) CASCADE")
  }
}
