import Core
import Database
import Mail

/// Mails of alerts that no server has accepted yet.
extension AlertStore {
  /// The alert mails that are recorded as queued.
  func waiting(in reader: ReadTransaction) throws -> [ID<QueuedMail>] {
    try reader.values(
      """
      SELECT mail_id FROM contact_mails
      WHERE state = 'waiting' AND kind = 'alert' AND channel_id IS NULL AND by_watchman = 0
      """)
  }

  /// The number of alerts with a mail that no server has accepted yet, and since when the oldest
  /// of these mails waits.
  func undelivered(in reader: ReadTransaction) throws -> (count: Int, oldest: Instant?) {
    try reader.first(
      """
      SELECT count(DISTINCT alert_id), min(queued_at) FROM contact_mails
      WHERE state = 'waiting' AND kind = 'alert' AND channel_id IS NULL AND by_watchman = 0
      """
    ) { (try $0.next(Int.self), try $0.next(Instant?.self)) } ?? (0, nil)
  }
}
