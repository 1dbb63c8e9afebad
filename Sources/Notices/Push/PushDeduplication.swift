import Core
import Database

/// Remembers what of one person's doings somebody's browsers were told, so that taking it back and
/// doing it again tells nobody again.
enum PushDeduplication {
  /// Those who are to be told by push, which from now on is known of them.
  static func unheard(
    _ notice: NewNotice, by people: [ID<Person>], now: Instant, in writer: WriteTransaction
  ) throws -> [ID<Person>] {
    guard let pause = notice.kind.pushPause, let actor = notice.actor,
      let subject = notice.subject, !people.isEmpty
    else { return people }
    let packed = IDList(people)
    return try writer.rows(
      """
      INSERT INTO push_memory (user_id, kind, subject, actor_id, event, at)
      SELECT \(IDList.only), ?, ?, ?, ?, ? FROM json_each(?) WHERE EXISTS (
        SELECT 1 FROM push_subscriptions s WHERE s.user_id = \(IDList.only))
      ON CONFLICT (user_id, kind, subject, actor_id, event) DO UPDATE SET at = excluded.at
        WHERE push_memory.at <= ?
      RETURNING user_id
      """, packed.bytes, notice.kind.rawValue, subject, actor, notice.event, now, packed.places,
      packed.bytes, now.adding(seconds: -pause)
    ) { try $0.id(0) }
  }

  /// Forgets what is too old to matter, some at a time; false when nothing was.
  static func purge(now: Instant, limit: Int, in writer: WriteTransaction) throws -> Bool {
    try writer.execute(
      """
      DELETE FROM push_memory WHERE (user_id, kind, subject, actor_id, event) IN (
        SELECT user_id, kind, subject, actor_id, event FROM push_memory WHERE at < ?
        ORDER BY at LIMIT ?)
      """, now.adding(seconds: -NoticeRules.life), limit) > 0
  }

  /// Forgets what somebody was told, and what others were told of them.
  static func forget(_ person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM push_memory WHERE user_id = ?", person)
    try writer.execute("DELETE FROM push_memory WHERE actor_id = ?", person)
  }
}
