import Accounts
import Core
import Database
import Web

/// Finds posts and couples by words, limited to what the viewer sees in "Everyone"
/// (docs/developer/product.md#visibility).
struct SearchStore: Sendable {
  /// Couples per page.
  static let maximumCouples = 10
  /// Matches considered; the shortest names among them are returned.
  private static let couplesLooked = 200

  let database: Database

  /// A matching post and its place in the index.
  struct PostSearchResult: Sendable {
    let place: Int64
    let post: PostSummary
  }

  /// A matching couple.
  struct CoupleSearchResult: Sendable {
    let id: ID<Couple>
    let name: String
    let people: [Viewer.Avatar]
  }

  /// Posts with all terms, newest first, before a place.
  func posts(
    _ terms: SearchTerms, for viewer: Viewer, before place: Int64?, limit: Int
  ) throws -> [PostSearchResult] {
    try database.read { reader in
      try reader.rows(
        """
        SELECT found.place, \(PostSummary.columns(for: viewer)) FROM (
          SELECT * FROM (
            SELECT s.post_id AS id, s.place FROM post_words t
            CROSS JOIN search_posts s CROSS JOIN posts p
            WHERE \(Self.matches(terms, .posts)) AND t.rowid < \(place ?? .max)
              AND s.place = t.rowid AND p.id = s.post_id AND p.deleted_at IS NULL
              AND (p.couple_id = \(viewer.ownCouple)
                OR (p.hidden_at IS NULL AND \(PostVisibility.shown(to: viewer.couple?.id))))
              AND EXISTS (SELECT 1 FROM people_seen w WHERE w.id = p.author_id)
            ORDER BY t.rowid DESC LIMIT \(limit)) AS x
        ) AS found JOIN posts p ON p.id = found.id \(PostSummary.joins)
        ORDER BY found.place DESC
        """
      ) { PostSearchResult(place: try $0.next(), post: try PostSummary(&$0)) }
    }
  }

  /// Couples with all terms in their names or those of their people, shortest names first.
  func couples(_ terms: SearchTerms, for viewer: Viewer) throws -> [CoupleSearchResult] {
    try putNames()
    return try database.read { reader in
      try reader.rows(
        """
        SELECT c.id, c.name, c.first_name, c.first_avatar, c.second_name, c.second_avatar FROM (
          SELECT * FROM (
            SELECT s.couple_id AS id FROM couple_words t
            CROSS JOIN search_couples s
            WHERE \(Self.matches(terms, .couples)) AND s.place = t.rowid
              AND (EXISTS (SELECT 1 FROM couples_open k WHERE k.id = s.couple_id)
                OR s.couple_id = \(viewer.ownCouple))
              AND EXISTS (SELECT 1 FROM couples_people m WHERE m.couple_id = s.couple_id)
              AND NOT EXISTS (
                SELECT 1 FROM couples_apart a
                WHERE a.one_id = s.couple_id AND a.other_id = \(viewer.couple?.id))
            LIMIT \(Self.couplesLooked)) AS x
        ) AS found JOIN couples_seen c ON c.id = found.id
        ORDER BY length(c.name), c.name, c.id LIMIT \(Self.maximumCouples)
        """
      ) {
        CoupleSearchResult(
          id: try $0.next(), name: try $0.next(), people: try CoupleAvatars.read(&$0))
      }
    }
  }

  /// Whether a row `t` of an index has all terms. PostgreSQL's index finds the rows that have all
  /// bigrams; in the right order they are a part of the words.
  private static func matches(_ terms: SearchTerms, _ index: SearchIndex.IndexKind) -> Query {
    let hasBigrams: Query = "search_tokens(t.words) @@ \(terms.tsquery)::tsquery"
    return Query(
      sqlite: "t.\(name: index.rawValue) MATCH \(terms.fts5)",
      postgresql: terms.parts.reduce(hasBigrams) { all, part in
        "\(all) AND strpos(' ' || t.words || ' ', \(part)) > 0"
      })
  }

  /// Indexes names that another module has changed, before a search.
  private func putNames() throws {
    guard try database.read({ try $0.exists("SELECT 1 FROM search_waiting LIMIT 1") }) else {
      return
    }
    try database.writeWithoutHooks { _ = try SearchIndex().putNames(in: $0) }
  }
}
