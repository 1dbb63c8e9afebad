import Core
import Database

/// All-clears that were queued.
extension AlertStore {
  /// The number of contacts who got an all-clear about a user since a moment.
  func allClearCount(
    of person: ID<Person>, since start: Instant, in reader: ReadTransaction
  ) throws -> Int {
    try reader.count(
      """
      SELECT count(DISTINCT contact_id) FROM contact_mails
      WHERE user_id = \(person) AND queued_at >= \(start) AND kind = 'all-clear'
      """)
  }

  /// Whether an all-clear was mailed to a contact since a moment, or waits to be.
  func hasMailedAllClear(
    to contact: ID<Contact>, since start: Instant, in reader: ReadTransaction
  ) throws -> Bool {
    try reader.exists(
      """
      SELECT 1 FROM contact_mails
      WHERE contact_id = \(contact) AND queued_at >= \(start) AND kind = 'all-clear'
        AND channel_id IS NULL AND state IN ('waiting', 'sent')
      """)
  }
}
