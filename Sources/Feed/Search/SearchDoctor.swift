import Core
import Database

/// Consistency checks of the search index: it is intact, and it matches posts and names.
enum SearchDoctor {
  static let checks = [indexIsWhole] + Kind.all.map(says)

  /// SQLite's own integrity check does not cover the contents of FTS5. FTS5's check is a command
  /// that needs the write lock and takes long on a large index, so it runs on a copy. PostgreSQL 15
  /// has no such check of its index.
  private static let indexIsWhole = DoctorCheck(
    "the search index is intact",
    findIn: { database in
      guard database.isSQLite else { return [] }
      return try broken(in: database).map { "\($0.rawValue) is damaged or inconsistent" }
        + SearchIndex.IndexKind.allCases.filter { index in
          try database.read { try SearchIndex().hasBroken(index, in: $0) }
        }.map { "\($0.rawValue): an old damaged index was not removed" }
    },
    repairInSteps: { database in
      guard database.isSQLite else { return }
      for index in try broken(in: database) {
        try SearchIndex().restart(index, in: database)
      }
      // Left over from an interrupted repair.
      for index in SearchIndex.IndexKind.allCases {
        try SearchIndex().removeBroken(index, in: database)
      }
    })

  private static func broken(in database: Database) throws -> [SearchIndex.IndexKind] {
    try database.withCopy { copy in
      try SearchIndex.IndexKind.allCases.filter { index in
        do {
          try copy.write { try SearchIndex().check(index, in: $0) }
          return false
        } catch let failure as StorageError where failure.saysCorrupt {
          // Other errors say nothing about the index.
          return true
        }
      }
    }
  }

  /// The two kinds of indexed rows. `texts` selects the text of each and its indexed form, without
  /// those that the worker has yet to index.
  private struct Kind {
    let name: String
    let index: SearchIndex.IndexKind
    let texts: Query
    let refresh: @Sendable ([UInt8], WriteTransaction) throws -> Void

    static let all = [
      Kind(
        name: "post", index: .posts,
        texts: """
          SELECT p.id, CASE WHEN p.deleted_at IS NULL THEN p.content ELSE '' END, t.words
          FROM posts p LEFT JOIN search_posts s ON s.post_id = p.id
          LEFT JOIN post_words t ON t.rowid = s.place
          WHERE NOT EXISTS (SELECT 1 FROM search_progress g WHERE p.id > g.post_id)
          """,
        refresh: { id, writer in
          if let id = ID<Post>(bytes: id) { try SearchIndex().refresh(id, in: writer) }
        }),
      Kind(
        name: "couple", index: .couples,
        texts: """
          SELECT c.id, \(SearchIndex.coupleText), t.words FROM couples_seen c
          LEFT JOIN search_couples s ON s.couple_id = c.id
          LEFT JOIN couple_words t ON t.rowid = s.place
          WHERE coalesce(s.names_people, 1) = 1
            AND NOT EXISTS (SELECT 1 FROM search_waiting w WHERE w.couple_id = c.id)
          """,
        refresh: { id, writer in
          try writer.execute(
            "INSERT INTO search_waiting (couple_id) VALUES (\(id)) ON CONFLICT DO NOTHING")
        }),
    ]

    /// Rows whose indexed form differs from their text.
    func wrong(in reader: ReadTransaction) throws -> [[UInt8]] {
      try reader.rows(texts) { row -> [UInt8]? in
        let id = try row.next([UInt8].self)
        let (text, index) = (try row.next(String.self), try row.next(String.self))
        return SearchText.indexed(text) == index ? nil : id
      }.compactMap { $0 }
    }

    /// Places in the index without a row, except those about to be swept.
    func orphans(in reader: ReadTransaction) throws -> [Int64] {
      try reader.values(
        """
        SELECT rowid FROM \(name: index.rawValue)
        EXCEPT SELECT place FROM \(name: index.places)
        EXCEPT SELECT place FROM search_gone WHERE kind = \(name)
        """, as: Int64.self)
    }
  }

  private static func says(_ kind: Kind) -> DoctorCheck {
    DoctorCheck(
      "the search index matches every \(kind.name)",
      find: { reader in
        let (wrong, orphans) = (try kind.wrong(in: reader), try kind.orphans(in: reader))
        return [
          wrong.first.map {
            "\(wrong.count) rows are indexed with a different text, first \(text($0))"
          },
          orphans.isEmpty ? nil : "\(orphans.count) index entries have no row",
        ].compactMap { $0 }
      },
      repairInSteps: { database in
        let orphans = try database.read { try kind.orphans(in: $0) }
        try database.writeInBatches(orphans) { place, writer in
          try writer.execute("DELETE FROM \(name: kind.index.rawValue) WHERE rowid = \(place)")
        }
        let wrong = try database.read { try kind.wrong(in: $0) }
        try database.writeInBatches(wrong) { try kind.refresh($0, $1) }
        try database.writeInBatches { try SearchIndex().putNames(in: $0) }
      })
  }

  private static func text(_ id: [UInt8]) -> String {
    ID<Post>(bytes: id)?.description ?? "a row without an identifier"
  }
}
