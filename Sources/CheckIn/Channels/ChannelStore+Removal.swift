import Core
import Database
import Mail

/// Channels that were removed (docs/developer/check-in-contacts.md#channels).
extension ChannelStore {
  /// How long a removed channel is kept at least if its message may be on its way, in s: longer than
  /// a service may take.
  private static let shortest: Int64 = .hours(1)

  /// Removes a channel. Its messages keep the name of its offer; those that wait are recalled, except
  /// an all-clear, and those of a watchman, which is told with its next report. A channel by which an
  /// open alert went, or is about to go, stays for the all-clear.
  func remove(_ id: ID<ContactChannel>, now: Instant, in writer: WriteTransaction) throws {
    let isNeeded = try isNeeded(id, now: now, in: writer)
    try writer.execute(
      """
      UPDATE contact_mails SET
        offer = (SELECT h.offer FROM contact_channels h WHERE h.id = \(id)),
        send_at = CASE WHEN kind = 'all-clear' THEN send_at END,
        state = CASE WHEN state = 'waiting' AND by_watchman = 0 AND kind <> 'all-clear'
          THEN 'recalled' ELSE state END
      WHERE channel_id = \(id)
      """)
    if isNeeded {
      // A process of the version before, which may still run, alerts by no channel that is not proven.
      try writer.execute(
        """
        UPDATE contact_channels SET removed_at = \(now), proven_at = NULL, code_hash = NULL,
          code_sent_at = NULL
        WHERE id = \(id)
        """)
    } else {
      try writer.execute("DELETE FROM contact_channels WHERE id = \(id)")
    }
  }

  /// Whether an all-clear waits to be sent by a channel, or an open alert went by it since it was
  /// claimed last. A message counts that is being sent, or that a watchman may be sending, also one
  /// that was recalled meanwhile.
  private func isNeeded(
    _ id: ID<ContactChannel>, now: Instant, in reader: ReadTransaction
  ) throws -> Bool {
    try reader.exists(
      """
      SELECT 1 FROM contact_mails m LEFT JOIN alerts a ON a.id = m.alert_id
      WHERE m.channel_id = \(id) AND (
        m.kind = 'all-clear' AND m.state = 'waiting'
        OR m.kind = 'alert' AND (
          m.state = 'sent' AND a.ended_at IS NULL AND m.round >= a.first_round
          OR m.state IN ('waiting', 'recalled')
            AND (m.by_watchman = 1 OR m.attempts > 0 AND m.send_at > \(now))))
      """)
  }

  /// Erases the removed channels that no all-clear will go by.
  func purge(now: Instant, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      DELETE FROM contact_channels
      WHERE removed_at < \(now.adding(seconds: -Self.shortest)) AND NOT EXISTS (
        SELECT 1 FROM contact_mails m LEFT JOIN alerts a ON a.id = m.alert_id
        WHERE m.channel_id = contact_channels.id AND (
          m.state = 'waiting'
          OR m.kind = 'alert' AND m.state = 'sent' AND a.ended_at IS NULL
            AND m.round >= a.first_round))
      """)
  }

  /// Whether a channel is not in use any more.
  func isRemoved(_ id: ID<ContactChannel>, in reader: ReadTransaction) throws -> Bool {
    try find(id, in: reader)?.isRemoved ?? true
  }

  /// The name of a channel's offer. Of one that was removed, its messages have it, at least the code
  /// that proved it; nil if there are none.
  func offer(of id: ID<ContactChannel>, in reader: ReadTransaction) throws -> String? {
    if let known = try find(id, in: reader) { return known.offer }
    return try reader.value(
      "SELECT offer FROM contact_mails WHERE channel_id = \(id) AND offer IS NOT NULL LIMIT 1",
      as: String.self)
  }

  /// Gives the name of the offer to messages that were recorded after their channel was removed.
  func nameMessages(of id: ID<ContactChannel>, in writer: WriteTransaction) throws {
    guard let offer = try offer(of: id, in: writer) else { return }
    try writer.execute(
      """
      UPDATE contact_mails SET offer = \(offer) WHERE channel_id = \(id) AND offer IS NULL
      """)
  }

  // MARK: The all-clear

  /// The channels for the all-clear to a contact: those by which the alert went, also if they were
  /// removed since. If one of these is no longer known, all proven ones.
  func forAllClear(
    of alert: ID<Alert>, to contact: Contact, in reader: ReadTransaction
  ) throws -> [ContactChannel] {
    let used = try used(for: alert, contact.id, in: reader)
    var found = try used.compactMap { try find($0, in: reader) }
    if found.count < used.count {
      found += try proven(of: contact, in: reader).filter { !used.contains($0.id) }
    }
    // One that was removed and added again is used once.
    var recipients: Set<[String]> = []
    return (found.filter { !$0.isRemoved } + found.filter(\.isRemoved)).filter {
      recipients.insert([$0.offer, $0.recipient]).inserted
    }
  }

  /// The channels of a contact that are used.
  func proven(of contact: Contact, in reader: ReadTransaction) throws -> [ContactChannel] {
    try all(of: contact, in: reader).filter { $0.provenAt != nil }
  }
}
