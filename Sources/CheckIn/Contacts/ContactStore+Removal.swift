import Core
import Database

/// A contact that the user has removed and can still restore.
struct RemovedContact: Sendable {
  let contact: Contact
  let removedAt: Instant

  /// Contacts in a list.
  static let maximumListed = 20
}

/// Removed contacts, who get no mail and are not alerted
/// (docs/developer/check-in-contacts.md#removed-contacts).
extension ContactStore {
  /// The user's contacts that were removed since a moment, the last removed first. Of contacts with
  /// the same address only the last one, and none whose address is a contact again.
  func removed(
    of person: ID<Person>, since moment: Instant, limit: Int, in reader: ReadTransaction
  ) throws -> [RemovedContact] {
    try reader.rows(
      """
      SELECT \(Self.columns), removed_at FROM emergency_contacts
      WHERE user_id = \(person) AND removed_at > \(moment) AND NOT EXISTS (
        SELECT 1 FROM emergency_contacts o
        WHERE o.user_id = \(person) AND o.email_hash = emergency_contacts.email_hash
          AND (o.removed_at IS NULL OR o.removed_at > emergency_contacts.removed_at))
      ORDER BY removed_at DESC, id DESC LIMIT \(limit)
      """
    ) { RemovedContact(contact: try contact(&$0), removedAt: try $0.next()) }
  }

  /// A contact that the user has removed since a moment; nil if there is none.
  func removed(
    _ id: ID<Contact>, of person: ID<Person>, since moment: Instant, in reader: ReadTransaction
  ) throws -> Contact? {
    try reader.first(
      """
      SELECT \(Self.columns) FROM emergency_contacts
      WHERE id = \(id) AND user_id = \(person) AND removed_at > \(moment)
      """, make: contact)
  }

  /// Removes a contact, who can be restored until `purge`.
  func remove(_ id: ID<Contact>, now: Instant, in writer: WriteTransaction) throws {
    try writer.execute("UPDATE emergency_contacts SET removed_at = \(now) WHERE id = \(id)")
  }

  /// Restores a removed contact of a user, after the others. A weekly mail that was due meanwhile is
  /// due now.
  func restore(
    _ id: ID<Contact>, of person: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      UPDATE emergency_contacts SET removed_at = NULL, weekly_at = max(weekly_at, \(now)),
        position = (SELECT max(position) + 1 FROM emergency_contacts WHERE user_id = \(person))
      WHERE id = \(id) AND user_id = \(person)
      """)
  }

  /// Erases contacts that were removed before a moment, at most `limit`, except those who know of an
  /// alert that is open, or who wait for an all-clear. Returns how many.
  func purge(removedBefore moment: Instant, limit: Int, in writer: WriteTransaction) throws -> Int {
    let removed = try writer.values(
      """
      SELECT id FROM emergency_contacts
      WHERE removed_at < \(moment) AND NOT EXISTS (
        SELECT 1 FROM contact_mails m LEFT JOIN alerts a ON a.id = m.alert_id
        WHERE m.contact_id = emergency_contacts.id AND (
          a.id IS NOT NULL AND a.ended_at IS NULL
          OR m.kind = 'all-clear' AND m.state = 'waiting'))
      LIMIT \(limit)
      """, as: ID<Contact>.self)
    for id in removed { try erase(id, in: writer) }
    return removed.count
  }

  /// Erases a contact with their channels, and recalls the messages that wait to be sent by these.
  func erase(_ id: ID<Contact>, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      UPDATE contact_mails SET contact_id = NULL, send_at = NULL,
        state = CASE WHEN state = 'waiting' AND channel_id IS NOT NULL
          THEN 'recalled' ELSE state END
      WHERE contact_id = \(id)
      """)
    try writer.execute(
      """
      UPDATE alerts SET reached_by = NULL
      WHERE reached_by = \(id)
        AND user_id = (SELECT user_id FROM emergency_contacts WHERE id = \(id))
      """)
    try EscalationStore.forget(id, in: writer)
    try writer.execute("DELETE FROM contact_channels WHERE contact_id = \(id)")
    try writer.execute("DELETE FROM emergency_contacts WHERE id = \(id)")
  }
}
