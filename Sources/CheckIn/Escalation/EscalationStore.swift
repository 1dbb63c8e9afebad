import Core
import Database

/// Stores how far the escalation of each open alert is, and how contacts respond.
struct EscalationStore {
  /// The users with an alert whose next step is due, longest due first.
  func due(now: Instant, limit: Int, in reader: ReadTransaction) throws -> [ID<Person>] {
    try reader.values(
      "SELECT user_id FROM alerts WHERE next_at <= \(now) ORDER BY next_at LIMIT \(limit)")
  }

  /// Makes all steps due now that are scheduled for later.
  func makeDue(to now: Instant, in writer: WriteTransaction) throws {
    try writer.execute("UPDATE alerts SET next_at = \(now) WHERE next_at > \(now)")
  }

  func scheduleNext(at next: Instant?, of alert: ID<Alert>, in writer: WriteTransaction) throws {
    try writer.execute("UPDATE alerts SET next_at = \(next) WHERE id = \(alert)")
  }

  /// Schedules the due steps of a user's alerts for later.
  func postpone(_ person: ID<Person>, to moment: Instant, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      UPDATE alerts SET next_at = \(moment)
      WHERE user_id = \(person) AND ended_at IS NULL AND next_at IS NOT NULL
      """)
  }

  /// Begins the next round of notifying the contacts; returns the alert with it.
  func beginRound(of alert: Alert, now: Instant, in writer: WriteTransaction) throws -> Alert {
    var next = alert
    next.round += 1
    next.roundAt = now
    try writer.execute(
      "UPDATE alerts SET round = \(next.round), round_at = \(now) WHERE id = \(alert.id)")
    return next
  }

  /// The messages that notified contacts since the current round began, and earlier ones that still
  /// wait: none is written a second time. A mail that was lost is written again and not included; a
  /// channel that failed has been used.
  func notices(
    of alert: Alert, in reader: ReadTransaction
  ) throws -> [Escalation.Notice] {
    try reader.rows(
      """
      SELECT contact_id, channel_id, queued_at, state NOT IN ('waiting', 'sent')
      FROM contact_mails
      WHERE alert_id = \(alert.id) AND kind = 'alert' AND contact_id IS NOT NULL
        AND (state IN ('waiting', 'sent') OR channel_id IS NOT NULL AND state <> 'recalled')
        AND (round = \(alert.round) OR state = 'waiting') ORDER BY queued_at
      """
    ) { row in
      let contact = try row.next(ID<Contact>.self)
      let channel = try row.next(ID<ContactChannel>?.self)
      return Escalation.Notice(
        contact: contact, means: channel.map { .channel($0) } ?? .mail, at: try row.next(),
        isLost: try row.next())
    }
  }

  /// The contacts who have responded since the current round began.
  func responded(to alert: Alert, now: Instant, in reader: ReadTransaction) throws -> Set<
    ID<Contact>
  > {
    Set(
      try reader.values(
        """
        SELECT contact_id FROM alert_responses WHERE alert_id = \(alert.id)
          AND max(opened_at, coalesce(looking_at, 0)) BETWEEN \(alert.roundAt) AND \(now)
        """, as: ID<Contact>.self))
  }

  /// The user's contacts who were added after a moment.
  func added(
    after moment: Instant, by person: ID<Person>, in reader: ReadTransaction
  ) throws -> Set<ID<Contact>> {
    Set(
      try reader.values(
        "SELECT id FROM emergency_contacts WHERE user_id = \(person) AND added_at > \(moment)",
        as: ID<Contact>.self))
  }

  // MARK: Responses

  /// Records that a contact opened their page while the alert was open; a repeat changes nothing.
  func opened(
    _ alert: Alert, by contact: ID<Contact>, now: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      INSERT INTO alert_responses (alert_id, contact_id, opened_at)
      VALUES (\(alert.id), \(contact), \(now)) ON CONFLICT (alert_id, contact_id) DO NOTHING
      """)
  }

  /// How long a repeated answer counts as the same one, in s.
  private static let same: Int64 = .minutes(10)

  /// Records that a contact is looking for the user. Returns false for a repeat within minutes.
  func looking(
    _ alert: Alert, by contact: ID<Contact>, now: Instant, in writer: WriteTransaction
  ) throws -> Bool {
    let isRepeat = try writer.exists(
      """
      SELECT 1 FROM alert_responses WHERE alert_id = \(alert.id) AND contact_id = \(contact)
        AND looking_at BETWEEN \(now.adding(seconds: -Self.same)) AND \(now)
      """)
    try writer.execute(
      """
      INSERT INTO alert_responses (alert_id, contact_id, opened_at, looking_at)
      VALUES (\(alert.id), \(contact), \(now), \(now))
      ON CONFLICT (alert_id, contact_id) DO UPDATE SET looking_at = excluded.looking_at
      """)
    try writer.execute(
      """
      UPDATE alerts SET looking_until = \(now.adding(seconds: Escalation.lookingTime))
      WHERE id = \(alert.id)
      """)
    return !isRepeat
  }

  /// Records that a contact read the user's sheet. Returns false for a repeat within minutes.
  func readSheet(
    _ alert: Alert, by contact: ID<Contact>, now: Instant, in writer: WriteTransaction
  ) throws -> Bool {
    try opened(alert, by: contact, now: now, in: writer)
    return try writer.execute(
      """
      UPDATE alert_responses SET sheet_read_at = \(now)
      WHERE alert_id = \(alert.id) AND contact_id = \(contact)
        AND (sheet_read_at IS NULL OR sheet_read_at NOT BETWEEN
          \(now.adding(seconds: -Self.same)) AND \(now))
      """) == 1
  }

  /// The progress of an alert with each contact who was notified, in the user's order. A message that
  /// was sent since the alert was claimed counts before later ones that wait or have failed.
  func progress(of alert: Alert, in reader: ReadTransaction) throws -> [ContactProgress] {
    try reader.rows(
      """
      SELECT c.id, c.name, found.state, found.changed_at, r.opened_at, r.looking_at,
        coalesce(
          found.offer, (SELECT h.offer FROM contact_channels h WHERE h.id = found.channel_id))
      FROM (
        SELECT contact_id, channel_id, offer, state, changed_at, row_number() OVER (
          PARTITION BY contact_id
          ORDER BY CASE WHEN state = 'sent' AND round >= \(alert.firstRound) THEN 0 ELSE 1 END,
            queued_at DESC, mail_id) AS place
        FROM contact_mails
        WHERE alert_id = \(alert.id) AND kind = 'alert' AND state <> 'recalled') AS found
      JOIN emergency_contacts c ON c.id = found.contact_id
      LEFT JOIN alert_responses r ON r.alert_id = \(alert.id) AND r.contact_id = c.id
      WHERE found.place = 1 ORDER BY c.position
      """
    ) { row in
      let (contact, name) = (try row.next(ID<Contact>.self), try row.next(String.self))
      let state = ContactMailState(rawValue: try row.next()) ?? .waiting
      return ContactProgress(
        contact: contact, name: name, mail: state, mailAt: try row.next(),
        openedAt: try row.next(), lookingAt: try row.next(),
        reachedAt: alert.reachedBy == contact ? alert.reachedAt : nil, offer: try row.next())
    }
  }

  /// When the latest alert that a contact was sent ended; nil unless that was since `start`.
  func lastEnd(
    for contact: ID<Contact>, since start: Instant, in reader: ReadTransaction
  ) throws -> Instant? {
    try reader.value(
      """
      SELECT max(a.ended_at) FROM contact_mails m JOIN alerts a ON a.id = m.alert_id
      WHERE m.contact_id = \(contact) AND m.kind = 'alert' AND m.state = 'sent'
        AND a.ended_at >= \(start)
      """, as: Instant?.self) ?? nil
  }

  // MARK: Changes of ownership

  /// Removes the responses of a contact who is erased.
  static func forget(_ contact: ID<Contact>, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM alert_responses WHERE contact_id = \(contact)")
  }
}

/// How far an alert has got with one contact.
struct ContactProgress: Sendable {
  let contact: ID<Contact>
  let name: String
  /// The state of the latest message that was sent, or else of the latest one, and since when.
  let mail: ContactMailState
  let mailAt: Instant
  let openedAt: Instant?
  let lookingAt: Instant?
  let reachedAt: Instant?
  /// The operator's offer by which that message went; nil for mail.
  let offer: String?
}
