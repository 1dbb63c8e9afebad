import Database
import Foundation
import Testing

@testable import App

@Suite("docs/developer/database.md")
struct DatabaseDocumentTests {
  /// Prefixes of tables that SQLite creates for its own full-text indexes.
  private static let made = ["sqlite_", "post_words_", "couple_words_"]

  private func documented() throws -> [String] {
    let path = TestInstance.checkout.appending(path: "docs/developer/database.md")
    return try String(contentsOf: path, encoding: .utf8).split(separator: "\n").compactMap {
      $0.firstMatch(of: /^\| `([a-z_]+)` \|/).map { String($0.output.1) }
    }
  }

  private func tables() throws -> Set<String> {
    let instance = try TestInstance()
    let names = try instance.database.read { reader in
      try reader.values(
        "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')", as: String.self)
    }
    return Set(names.filter { name in !Self.made.contains { name.hasPrefix($0) } })
  }

  @Test(
    "Each table and view of the schema has one row, and each row a table or view",
    .onSQLite("PostgreSQLMigrationTests compares the schemas"))
  func complete() throws {
    let (documented, tables) = (try documented(), try tables())
    #expect(documented.count == Set(documented).count)
    #expect(tables.subtracting(documented) == [])
    #expect(Set(documented).subtracting(tables) == [])
  }
}
