import Core
import Database
import PostgreSQLServer
import Testing

@testable import App
@testable import Feed

/// Rows of a couple and its posts, and the search of both engines.
private struct SearchedRows {
  let database: Database
  let couple = ID<Couple>(now: Instant(milliseconds: 0))
  let author = ID<Person>(now: Instant(milliseconds: 0))

  init(_ engine: TestEngine) throws {
    database = try engine.database(Migrations.all)
    try add(couple, "Ann & Ben", author, "Ann")
  }

  var viewer: Viewer {
    Viewer(
      id: author, role: .member, avatar: Viewer.Avatar(name: "Ann", avatar: nil),
      couple: Viewer.CoupleSummary(id: couple, name: "Ann & Ben", status: .active, partner: nil))
  }

  func add(
    _ couple: ID<Couple>, _ name: String, _ person: ID<Person>, _ personName: String
  ) throws {
    try database.write { writer in
      try writer.execute(
        """
        INSERT INTO couples (id, name, status, created_at) VALUES (\(couple), \(name), 'active', 0)
        """)
      try writer.execute(
        """
        INSERT INTO users (id, role, display_name, couple_id, couple_side, terms_version,
          terms_accepted_at, created_at)
        VALUES (\(person), 2, \(personName), \(couple), 1, '1', 0, 0)
        """)
    }
  }

  /// Adds a post in a second, with its words in the index unless the post is an old one.
  @discardableResult
  func post(
    _ content: String, at second: Int64, _ milliseconds: Int64 = 0, isIndexed: Bool = true
  ) throws -> ID<Post> {
    let moment = Instant(milliseconds: 1000 * second + milliseconds)
    let id = ID<Post>(now: moment)
    try database.write { writer in
      try writer.execute(
        """
        INSERT INTO posts (id, couple_id, author_id, content, visibility, created_at)
        VALUES (\(id), \(couple), \(author), \(content), 'public', \(moment))
        """)
      if isIndexed { try SearchIndex().put(id, content, at: moment, in: writer) }
    }
    return id
  }

  func posts(_ query: String, before place: Int64? = nil, limit: Int = 20) throws -> [(
    place: Int64, id: ID<Post>
  )] {
    try SearchStore(database: database).posts(
      #require(SearchText.terms(query)), for: viewer, before: place, limit: limit
    ).map { ($0.place, $0.post.id) }
  }

  func couples(_ query: String) throws -> [String] {
    try SearchStore(database: database).couples(#require(SearchText.terms(query)), for: viewer)
      .map(\.name)
  }

  /// What the doctor says about the search.
  func findings() throws -> [String] {
    try SearchDoctor.checks.flatMap { try $0.find(database) }
  }

  func repair() throws {
    for check in SearchDoctor.checks { try check.repair?(database) }
  }

  func count(_ table: String) throws -> Int {
    try database.read { try $0.count("SELECT count(*) FROM \(name: table)") }
  }
}

@Suite("The search of both engines")
struct SearchStoreTests {
  @Test(
    "Two characters, accented Latin and parts of words are found, the newest first",
    arguments: TestEngine.allCases)
  func words(engine: TestEngine) throws {
    let rows = try SearchedRows(engine)
    let contents = ["今天喝咖啡", "Un café crème", "我们去爬山", "CAFE au lait", "下雨", "山下的咖啡"]
    let ids = try contents.enumerated().map { try rows.post($1, at: Int64($0)) }
    func found(_ query: String) throws -> [String] {
      try rows.posts(query).map { contents[ids.firstIndex(of: $0.id) ?? 0] }
    }
    #expect(try found("咖啡") == ["山下的咖啡", "今天喝咖啡"])
    #expect(try found("爬山") == ["我们去爬山"])
    #expect(try found("café") == ["CAFE au lait", "Un café crème"])
    #expect(try found("CRÈME Cafe") == ["Un café crème"])
    #expect(try found("afe") == ["CAFE au lait", "Un café crème"])
    #expect(try found("雨") == ["下雨"])
    #expect(try found("山") == ["山下的咖啡", "我们去爬山"])
    #expect(try found("啡") == ["山下的咖啡", "今天喝咖啡"])
    #expect(try found("山咖") == [] && found("cafe 咖啡") == [] && found("天喝茶") == [])
  }

  @Test(
    "Posts of one second are found the newest first, more than it has places, too",
    arguments: TestEngine.allCases)
  func places(engine: TestEngine) throws {
    let rows = try SearchedRows(engine)
    var ids = try [0, 2, 3, 500, 999].map { try rows.post("coffee", at: 7, $0) }
    ids += try (0..<260).map { _ in try rows.post("coffee", at: 8) }
    ids.append(try rows.post("coffee", at: 9, 300))
    #expect(try rows.posts("coffee", limit: 300).map(\.id) == ids.reversed())
    #expect(Set(try rows.posts("coffee", limit: 300).map(\.place)).count == ids.count)
  }

  @Test(
    "Bigrams in another order, or of two words, are not the word", arguments: TestEngine.allCases)
  func adjacent(engine: TestEngine) throws {
    let rows = try SearchedRows(engine)
    try rows.post("bcxab", at: 1)
    try rows.post("ab bc", at: 2)
    try rows.post("xabcd", at: 3)
    #expect(try rows.posts("abc").count == 1)
    #expect(try rows.posts("ab bc").count == 3)
  }

  @Test("A page begins at a place", arguments: TestEngine.allCases)
  func pages(engine: TestEngine) throws {
    let rows = try SearchedRows(engine)
    // Two in the same second.
    let ids = try [1, 2, 2, 3].map { try rows.post("Tea time", at: $0) }
    let first = try rows.posts("tea", limit: 2)
    let last = try rows.posts("tea", before: #require(first.last).place, limit: 9)
    #expect(first.map(\.id) + last.map(\.id) == ids.reversed())
  }

  @Test(
    "Signs of many code points, and those with a meaning in a query, are found",
    arguments: TestEngine.allCases)
  func strange(engine: TestEngine) throws {
    let rows = try SearchedRows(engine)
    // One character with the tags of a flag, longer than PostgreSQL's index permits.
    let long = "🏴" + String(repeating: "\u{E0067}", count: 600)
    try rows.post("x\(long)y", at: 1)
    try rows.post("it's & that's | !no <-> 'yes':*", at: 2)
    #expect(try rows.posts("x\(long)").count == 1)
    #expect(try rows.posts("yes':* & that").count == 1)
    #expect(try rows.posts("no<->yes").count == 1)
  }

  @Test("A text that is edited, deleted or purged leaves the index", arguments: TestEngine.allCases)
  func changes(engine: TestEngine) throws {
    let rows = try SearchedRows(engine)
    let (edited, deleted) = (try rows.post("Coffee", at: 1), try rows.post("Coffee", at: 2))
    let purged = try rows.post("Coffee", at: 3)
    try rows.database.write { writer in
      try writer.execute("UPDATE posts SET content = 'Green tea' WHERE id = \(edited)")
      try writer.execute("UPDATE posts SET deleted_at = 1 WHERE id = \(deleted)")
      for id in [edited, deleted] { try SearchIndex().refresh(id, in: writer) }
      try writer.execute("DELETE FROM posts WHERE id = \(purged)")
      try SearchIndex().sweep(in: writer)
    }
    #expect(try rows.posts("coffee").isEmpty)
    #expect(try rows.posts("green tea").map(\.id) == [edited])
    #expect(try rows.count("post_words") == 1 && rows.count("search_gone") == 0)
    #expect(try rows.findings() == [])
  }

  @Test("Posts from before the index are indexed in steps", arguments: TestEngine.allCases)
  func older(engine: TestEngine) throws {
    let rows = try SearchedRows(engine)
    let old = try rows.post("Old words", at: 1, isIndexed: false)
    #expect(try rows.posts("words").isEmpty)
    while try rows.database.write({ try SearchIndex().indexOlder(in: $0) }) {}
    #expect(try rows.posts("words").map(\.id) == [old])
    #expect(try rows.count("search_progress") == 0)
  }

  @Test(
    "Couples are found by their names and their people, not across a block",
    arguments: TestEngine.allCases)
  func couples(engine: TestEngine) throws {
    let rows = try SearchedRows(engine)
    let (other, person) = (
      ID<Couple>(now: Instant(milliseconds: 1)), ID<Person>(now: Instant(milliseconds: 1))
    )
    try rows.add(other, "小明的家", person, "Annika")
    #expect(try rows.couples("ann") == ["小明的家", "Ann & Ben"])
    #expect(try rows.couples("明的") == ["小明的家"] && rows.couples("明") == ["小明的家"])
    try rows.database.write { writer in
      try writer.execute("UPDATE users SET display_name = 'Cleo' WHERE id = \(person)")
    }
    #expect(try rows.couples("annika") == [] && rows.couples("cleo") == ["小明的家"])
    #expect(try rows.findings() == [])
    try rows.database.write { writer in
      try writer.execute(
        """
        INSERT INTO blocks (couple_id, blocked_id, created_at) VALUES (\(other), \(rows.couple), 0)
        """)
    }
    #expect(try rows.couples("cleo") == [])
  }

  @Test(
    "The doctor finds texts that are indexed wrongly, and mends them",
    arguments: TestEngine.allCases)
  func doctor(engine: TestEngine) throws {
    let rows = try SearchedRows(engine)
    while try rows.database.write({ try SearchIndex().indexOlder(in: $0) }) {}
    try rows.post("Coffee", at: 1)
    try rows.database.write { writer in
      try writer.execute("UPDATE posts SET content = 'Green tea'")
      try writer.execute("INSERT INTO post_words (rowid, words) VALUES (7, 'le ef ft t')")
    }
    let all = try rows.database.write { try SearchIndex().putNames(in: $0) }
    #expect(!all)
    #expect(try rows.findings().count == 2)
    try rows.repair()
    #expect(try rows.findings() == [] && rows.posts("tea").count == 1)
  }
}
