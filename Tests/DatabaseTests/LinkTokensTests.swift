import Core
import Database
import PostgreSQLServer
import Testing

@Suite("Tokens of mailed links")
struct LinkTokensTests {
  private enum Owner {}

  private static let tables = [
    Migration(
      "links 1",
      """
      CREATE TABLE single_links (
        user_id BLOB PRIMARY KEY, token_hash BLOB NOT NULL UNIQUE, expires_at INTEGER NOT NULL,
        note TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE many_links (
        token_hash BLOB PRIMARY KEY, user_id BLOB NOT NULL, expires_at INTEGER NOT NULL,
        note TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
      """)
  ]

  private let now = Instant(milliseconds: 1_000_000)
  private let owner = ID<Owner>(now: Instant(milliseconds: 1))

  /// The notes of the links that can still be used, of two that were issued one after the other.
  private func usable(_ links: LinkTokens<Owner>, in database: Database) throws -> [String] {
    let other = ID<Owner>(now: Instant(milliseconds: 2))
    let tokens = try database.write { writer in
      _ = try links.issue(for: other, ["note": "other"], now: now, in: writer)
      return try ["first", "second"].map {
        try links.issue(for: owner, ["note": $0], now: now, in: writer)
      }
    }
    return try database.write { writer in
      try (tokens + tokens).compactMap {
        try links.use($0, "note", now: now, in: writer) { try $0.next(String.self) }
      }
    }
  }

  @Test(
    "A new link replaces the owner's earlier one, or works beside it",
    arguments: TestEngine.allCases)
  func replacing(engine: TestEngine) throws {
    let database = try engine.database(Self.tables)
    let single = LinkTokens<Owner>(table: "single_links", isOnePerOwner: true, lifetime: 60)
    #expect(try usable(single, in: database) == ["second"])
    let many = LinkTokens<Owner>(table: "many_links", lifetime: 60)
    #expect(try usable(many, in: database) == ["first", "second"])
    for table in ["single_links", "many_links"] {
      let notes: [String] = try database.read {
        try $0.values("SELECT note FROM \(name: table)")
      }
      #expect(notes == ["other"])
    }
  }
}
