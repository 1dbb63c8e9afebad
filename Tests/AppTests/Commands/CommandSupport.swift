import Database
import Foundation
import Testing

@testable import App

extension CommandAnswer {
  /// The object that `--json` prints.
  func object() throws -> [String: Any] {
    let line = try #require(try output(asJSON: true).first)
    return try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
  }

  /// The objects that `--json` prints for a list.
  func objects() throws -> [[String: Any]] {
    let lines = try output(asJSON: true)
    try #require(lines.count == 1)
    return try #require(
      try JSONSerialization.jsonObject(with: Data(lines[0].utf8)) as? [[String: Any]])
  }
}

/// A line of the staff log.
struct StaffLogLine: Equatable {
  let actor: String
  let action: String
  let kind: String
  let details: String

  /// A line of a command.
  init(_ action: String, _ kind: String = "person", _ details: String = "") {
    (actor, self.action, self.kind, self.details) = ("pairspot admin", action, kind, details)
  }

  fileprivate init(actor: String, action: String, kind: String, details: String) {
    (self.actor, self.action, self.kind, self.details) = (actor, action, kind, details)
  }
}

extension TestInstance {
  /// The staff log, oldest first.
  func staffLog() throws -> [StaffLogLine] {
    try database.read {
      try $0.rows("SELECT actor_name, action, kind, details FROM staff_log ORDER BY number") {
        StaffLogLine(
          actor: try $0.next(), action: try $0.next(), kind: try $0.next(), details: try $0.next())
      }
    }
  }

  /// The contents of every table, to compare before and after a dry run.
  func contents() throws -> [String: [String]] {
    try database.read { reader in
      guard database.isSQLite else {
        let tables = try reader.values(
          "SELECT tablename FROM pg_tables WHERE schemaname = 'public'", as: String.self)
        return try tables.reduce(into: [:]) { found, table in
          found[table] = try reader.values(
            "SELECT CAST(t AS TEXT) FROM \(name: table) t ORDER BY 1", as: String.self)
        }
      }
      let tables = try reader.values(
        """
        SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'
          AND name NOT LIKE 'sqlite_%'
        """, as: String.self)
      var found: [String: [String]] = [:]
      for table in tables {
        let columns = try reader.values(
          "SELECT name FROM pragma_table_info(\(table))", as: String.self)
        let text = columns.map { "quote(\"\($0)\")" }.joined(separator: " || ',' || ")
        found[table] = try reader.values(
          Query(stringLiteral: "SELECT \(text) FROM \"\(table)\" ORDER BY 1"), as: String.self)
      }
      return found
    }
  }
}
