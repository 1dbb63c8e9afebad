import Core
import Database

/// Records which pushes were sent, so that undoing and redoing an action (like, unlike, like) does
/// not push twice.
enum PushDeduplication {
  /// The users who still need a push; records it for them.
  static func recordRecipients(
    _ notice: NewNotice, by people: [ID<Person>], now: Instant, in writer: WriteTransaction
  ) throws -> [ID<Person>] {
    guard let pause = notice.kind.pushPause, let actor = notice.actor,
      let subject = notice.subject, !people.isEmpty
    else { return people }
    return try writer.values(
      """
      INSERT INTO push_memory (user_id, kind, subject, actor_id, event, at)
      SELECT p.id, \(notice.kind.rawValue), \(subject), \(actor), \(notice.event), \(now)
      FROM \(IDList(people)) AS p
      WHERE EXISTS (SELECT 1 FROM push_subscriptions s WHERE s.user_id = p.id)
      ON CONFLICT (user_id, kind, subject, actor_id, event) DO UPDATE SET at = excluded.at
        WHERE push_memory.at <= \(now.adding(seconds: -pause))
      RETURNING user_id
      """)
  }

  /// Deletes what was pushed to a user about a subject.
  static func forget(
    _ kind: NoticeKind, subject: [UInt8], of person: ID<Person>, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      DELETE FROM push_memory WHERE user_id = \(person) AND kind = \(kind.rawValue)
        AND subject = \(subject)
      """)
  }

  /// Deletes old records, a batch at a time; false if there were none.
  static func purge(now: Instant, limit: Int, in writer: WriteTransaction) throws -> Bool {
    try writer.execute(
      """
      DELETE FROM push_memory WHERE (user_id, kind, subject, actor_id, event) IN (
        SELECT user_id, kind, subject, actor_id, event FROM push_memory
        WHERE at < \(now.adding(seconds: -NoticeRules.life))
        ORDER BY at LIMIT \(limit))
      """) > 0
  }
}
