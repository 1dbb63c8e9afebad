import Core
import Database
import Secrets

/// Secret links of calendars; the table holds their hashes only.
struct CalendarStore {
  func make(
    _ token: Token, for person: ID<Person>, couple: ID<Couple>, now: Instant,
    in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      INSERT INTO calendar_links (user_id, couple_id, token_hash, made_at)
      VALUES (\(person), \(couple), \(token.sha256), \(now))
      ON CONFLICT (user_id) DO UPDATE SET couple_id = excluded.couple_id,
        token_hash = excluded.token_hash, made_at = excluded.made_at
      """)
  }

  func remove(of person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM calendar_links WHERE user_id = \(person)")
  }

  /// Creation time of a user's link for a couple; nil if there is none.
  func createdAt(
    by person: ID<Person>, for couple: ID<Couple>, in reader: ReadTransaction
  ) throws -> Instant? {
    try reader.value(
      """
      SELECT made_at FROM calendar_links WHERE user_id = \(person) AND couple_id = \(couple)
      """, as: Instant.self)
  }

  /// Owner and creation time of a link.
  func owner(
    of token: Token, for couple: ID<Couple>, in reader: ReadTransaction
  ) throws -> (person: ID<Person>, createdAt: Instant)? {
    try reader.first(
      """
      SELECT user_id, made_at FROM calendar_links WHERE token_hash = \(token.sha256)
        AND couple_id = \(couple)
      """
    ) { (try $0.next(), try $0.next(Instant.self)) }
  }
}
