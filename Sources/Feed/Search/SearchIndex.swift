import Core
import Database

/// Maintains the search index, in the same transaction as the indexed rows.
struct SearchIndex {
  /// Number of rows per step of the jobs that go through all rows.
  static let batch = 500
  /// The indexed text of a row `c` of `couples_seen`: the name of the couple and those of its people.
  static let coupleText: Query =
    """
    c.name || CASE WHEN EXISTS (SELECT 1 FROM couples_people m WHERE m.couple_id = c.id)
      THEN ' ' || coalesce(c.first_name, '') || ' ' || coalesce(c.second_name, '') ELSE '' END
    """

  /// Indexes a post, or replaces its entry with the current text.
  func put(_ post: ID<Post>, _ content: String, at: Instant, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM search_posts WHERE post_id = \(post)")
    try add(post, content, at: at, in: writer)
  }

  /// Indexes a new post.
  func add(_ post: ID<Post>, _ content: String, at: Instant, in writer: WriteTransaction) throws {
    try sweep(in: writer)
    let words = SearchText.indexed(content)
    guard !words.isEmpty else { return }
    let place = try takePlace(for: post, at: at, in: writer)
    try writer.execute("INSERT INTO post_words (rowid, words) VALUES (\(place), \(words))")
  }

  /// Removes a post from the index.
  func remove(_ post: ID<Post>, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM search_posts WHERE post_id = \(post)")
    try sweep(in: writer)
  }

  /// Removes the entries of rows deleted with their user or couple. The old words must be gone
  /// before a place is used again.
  func sweep(in writer: WriteTransaction) throws {
    let deleted = try writer.rows("SELECT kind, place FROM search_gone ORDER BY kind, place") {
      (kind: try $0.next(String.self), place: try $0.next(Int64.self))
    }
    for (kind, place) in deleted {
      try writer.execute(
        kind == "post"
          ? "DELETE FROM post_words WHERE rowid = \(place)"
          : "DELETE FROM couple_words WHERE rowid = \(place)")
      try writer.execute("DELETE FROM search_gone WHERE kind = \(kind) AND place = \(place)")
    }
  }

  /// Indexes a post again, after it was edited or restored.
  func refresh(_ post: ID<Post>, in writer: WriteTransaction) throws {
    let found = try writer.first(
      "SELECT content, created_at FROM posts WHERE id = \(post) AND deleted_at IS NULL"
    ) { (try $0.next(String.self), try $0.next(Instant.self)) }
    guard let (content, createdAt) = found else { return try remove(post, in: writer) }
    try put(post, content, at: createdAt, in: writer)
  }

  /// The two full-text indexes.
  enum IndexKind: String, CaseIterable {
    case posts = "post_words"
    case couples = "couple_words"

    /// The table that maps places to rows.
    var places: String {
      switch self {
      case .posts: "search_posts"
      case .couples: "search_couples"
      }
    }

    /// Name of a broken index while it is being removed.
    fileprivate var broken: String { "\(rawValue)_broken" }
  }

  /// Throws `StorageError.other` if an index is broken or does not match its own contents. SQLite
  /// only: a command of FTS5.
  func check(_ kind: IndexKind, in writer: WriteTransaction) throws {
    let index = kind.rawValue
    try writer.execute("INSERT INTO \(name: index) (\(name: index)) VALUES ('integrity-check')")
  }

  /// Replaces a broken index with an empty one and indexes all rows again, in steps: users can
  /// write in between and find the rows indexed so far. After an interruption the worker continues.
  /// SQLite only: tables of FTS5.
  func restart(_ kind: IndexKind, in database: Database) throws {
    let (index, broken) = (kind.rawValue, kind.broken)
    // The leftovers of an interrupted repair are in the way.
    try removeBroken(kind, in: database)
    try database.write { writer in
      // An empty list of segments: a table whose list cannot be read can be neither renamed nor
      // dropped.
      try writer.execute(
        "INSERT OR REPLACE INTO \(name: index)_data (id, block) VALUES (10, x'00000000000000')")
      try writer.execute("ALTER TABLE \(name: index) RENAME TO \(name: broken)")
      try writer.execute(
        """
        CREATE VIRTUAL TABLE \(name: index)
        USING fts5 (words, tokenize = 'ascii', columnsize = 0)
        """)
      switch kind {
      case .posts:
        try writer.execute(
          """
          INSERT INTO search_progress (only, post_id) VALUES (1, x'')
          ON CONFLICT (only) DO UPDATE SET post_id = excluded.post_id
          """)
      case .couples:
        try writer.execute(
          """
          INSERT INTO search_waiting (couple_id) SELECT id FROM couples_seen WHERE true
          ON CONFLICT DO NOTHING
          """)
      }
    }
    try database.writeInBatches { try indexOlder(in: $0) }
    try database.writeInBatches { try putNames(in: $0) }
    try removeBroken(kind, in: database)
  }

  /// Whether the old, broken index still exists.
  func hasBroken(_ kind: IndexKind, in reader: ReadTransaction) throws -> Bool {
    try reader.exists("SELECT 1 FROM sqlite_master WHERE name = \(kind.broken)")
  }

  /// Removes the old index in steps, since deleted content is overwritten.
  func removeBroken(_ kind: IndexKind, in database: Database) throws {
    let broken = kind.broken
    guard try database.read({ try hasBroken(kind, in: $0) }) else { return }
    for part in ["content", "data"] {
      try database.writeInBatches {
        // The first ten rows are metadata of the table, which dropping it reads.
        try $0.execute(
          """
          DELETE FROM \(name: broken)_\(name: part) WHERE id IN (
            SELECT id FROM \(name: broken)_\(name: part) WHERE id > 10 LIMIT \(Self.batch))
          """) > 0
      }
    }
    try database.write { _ = try $0.execute("DROP TABLE \(name: broken)") }
  }

  /// Merges some segments of an index, which drops deleted entries; `all` starts with every
  /// segment. False if nothing is left to merge. SQLite only: a command of FTS5.
  func merge(_ kind: IndexKind, all: Bool, in writer: WriteTransaction) throws -> Bool {
    let index = kind.rawValue
    // Fewer than two changes mean that nothing was merged.
    return try writer.executeCountingAll(
      "INSERT INTO \(name: index) (\(name: index), rank) VALUES ('merge', \(all ? -500 : 500))")
      >= 2
  }

  /// The number of places of a second.
  private static let width: Int64 = 256

  /// Gives a post the place of its moment, or the first free one after it. On PostgreSQL, looking
  /// for the place first would make posts of the same time repeat each other.
  private func takePlace(
    for post: ID<Post>, at: Instant, in writer: WriteTransaction
  ) throws -> Int64 {
    let place = at.milliseconds * Self.width / 1000
    let isFree =
      try writer.execute(
        """
        INSERT INTO search_posts (place, post_id) VALUES (\(place), \(post))
        ON CONFLICT (place) DO NOTHING
        """) == 1
    if isFree { return place }
    let free = try freePlace(at: at, in: writer)
    try writer.execute("INSERT INTO search_posts (place, post_id) VALUES (\(free), \(post))")
    return free
  }

  /// The first free place of this second or of those after it.
  private func freePlace(at: Instant, in writer: WriteTransaction) throws -> Int64 {
    let width = Self.width
    var first = at.milliseconds / 1000 * width
    while true {
      let last = try writer.value(
        "SELECT max(place) FROM search_posts WHERE place BETWEEN \(first) AND \(first + width - 1)",
        as: Int64?.self)
      guard let last = last ?? nil else { return first }
      if last < first + width - 1 { return last + 1 }
      first += width
    }
  }

  // MARK: Older rows

  /// Indexes the next posts from before the index existed; false when all are done. Can be
  /// interrupted after every call and continues from there.
  func indexOlder(in writer: WriteTransaction) throws -> Bool {
    guard try writer.exists("SELECT 1 FROM search_progress") else { return false }
    let posts = try writer.rows(
      """
      SELECT p.id, p.content, p.created_at, p.deleted_at IS NULL FROM posts p
      WHERE p.id > (SELECT search_progress.post_id FROM search_progress)
      ORDER BY p.id LIMIT \(Self.batch)
      """
    ) {
      (
        try $0.next(ID<Post>.self), try $0.next(String.self), try $0.next(Instant.self),
        try $0.next(Bool.self)
      )
    }
    guard let end = posts.last else {
      try writer.execute("DELETE FROM search_progress")
      return false
    }
    for (post, content, createdAt, isThere) in posts where isThere {
      try put(post, content, at: createdAt, in: writer)
    }
    try writer.execute("UPDATE search_progress SET post_id = \(end.0)")
    return true
  }

  /// Indexes the next new names, of couples and of their people; false if none is left.
  func putNames(in writer: WriteTransaction) throws -> Bool {
    try sweep(in: writer)
    try writer.execute(
      """
      INSERT INTO search_waiting (couple_id)
      SELECT couple_id FROM search_couples WHERE names_people = 0 LIMIT \(Self.batch)
      ON CONFLICT DO NOTHING
      """)
    let couples = try writer.rows(
      """
      SELECT search_waiting.couple_id, \(Self.coupleText) FROM search_waiting
      JOIN couples_seen c ON c.id = search_waiting.couple_id
      ORDER BY search_waiting.couple_id LIMIT \(Self.batch)
      """
    ) { (try $0.next(ID<Couple>.self), try $0.next(String.self)) }
    for (couple, names) in couples {
      try writer.execute("DELETE FROM search_couples WHERE couple_id = \(couple)")
      try sweep(in: writer)
      let words = SearchText.indexed(names)
      if !words.isEmpty {
        let place = try writer.value(
          """
          INSERT INTO search_couples (couple_id, names_people) VALUES (\(couple), 1)
          RETURNING place
          """, as: Int64.self)
        try writer.execute("INSERT INTO couple_words (rowid, words) VALUES (\(place), \(words))")
      }
      try writer.execute("DELETE FROM search_waiting WHERE couple_id = \(couple)")
    }
    return couples.count == Self.batch
  }
}
