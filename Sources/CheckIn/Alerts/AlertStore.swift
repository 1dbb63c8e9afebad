import Core
import Database
import Mail
import Web

/// The alerts and the mails of this module.
struct AlertStore {
  private static let columns: Query =
    """
    id, user_id, silence, missed_days, claimed_at, timer_id, reached_at, reached_by, round, first_round,
    coalesce(round_at, claimed_at), looking_until
    """

  // MARK: Alerts

  /// Claims the alert of a silence; nil if it was claimed before. The unique index decides between
  /// concurrent workers (docs/developer/check-in.md#rules).
  ///
  /// An alert that has ended is reopened if the silence turns out to have continued from the same
  /// day (a late tap for that day, a raised threshold, a clock that was set back).
  func claim(
    of person: ID<Person>, silence: LocalDay, day: LocalDay, missedDays: Int, now: Instant,
    in writer: WriteTransaction
  ) throws -> Alert? {
    let alert = try writer.first(
      """
      INSERT INTO alerts (id, user_id, silence, day, missed_days, claimed_at, round_at)
      VALUES (\(ID<Alert>(now: now)), \(person), \(silence), \(day), \(missedDays), \(now), \(now))
      ON CONFLICT (user_id, silence) WHERE timer_id IS NULL DO UPDATE
        SET day = excluded.day, missed_days = excluded.missed_days,
          claimed_at = excluded.claimed_at, round = alerts.round + 1,
          first_round = alerts.round + 1,
          round_at = excluded.round_at,
          reached_at = NULL, reached_by = NULL, looking_until = NULL, ended_at = NULL
        WHERE alerts.ended_at IS NOT NULL
      RETURNING \(Self.columns)
      """, make: Self.alert)
    if alert != nil { try PersistentCounter.alerts.count(in: writer) }
    return alert
  }

  /// Claims the alert of a timer that has run out; nil if it was claimed before.
  func claim(
    _ timer: CheckInTimer, day: LocalDay, now: Instant, in writer: WriteTransaction
  ) throws -> Alert? {
    let alert = try writer.first(
      """
      INSERT INTO alerts (id, user_id, silence, day, missed_days, claimed_at, round_at, timer_id)
      VALUES (\(ID<Alert>(now: now)), \(timer.person), \(day), \(day), 0, \(now), \(now),
        \(timer.id))
      ON CONFLICT (timer_id) WHERE timer_id IS NOT NULL DO UPDATE
        SET claimed_at = excluded.claimed_at, round = alerts.round + 1,
          first_round = alerts.round + 1,
          round_at = excluded.round_at, reached_at = NULL, reached_by = NULL,
          looking_until = NULL, ended_at = NULL
        WHERE alerts.ended_at IS NOT NULL
      RETURNING \(Self.columns)
      """, make: Self.alert)
    if alert != nil { try PersistentCounter.alerts.count(in: writer) }
    return alert
  }

  /// The user's alerts that no check-in has ended yet, oldest first.
  func open(of person: ID<Person>, in reader: ReadTransaction) throws -> [Alert] {
    try reader.rows(
      """
      SELECT \(Self.columns) FROM alerts
      WHERE user_id = \(person) AND ended_at IS NULL ORDER BY claimed_at
      """, make: Self.alert)
  }

  private static func alert(_ row: inout RowReader) throws -> Alert {
    Alert(
      id: try row.next(), person: try row.next(), silence: try row.next(),
      missedDays: try row.next(), claimedAt: try row.next(), timer: try row.next(),
      reachedAt: try row.next(),
      reachedBy: try row.next(), round: try row.next(), firstRound: try row.next(),
      roundAt: try row.next(), lookingUntil: try row.next())
  }

  /// Records who has reached the user; false if it was recorded before.
  func reached(
    _ alert: ID<Alert>, by contact: ID<Contact>, now: Instant, in writer: WriteTransaction
  ) throws -> Bool {
    try writer.execute(
      """
      UPDATE alerts SET reached_at = \(now), reached_by = \(contact), next_at = NULL
      WHERE id = \(alert) AND reached_at IS NULL
      """) == 1
  }

  /// Ends an alert. If it is reopened, it no longer concerns contacts who were removed before.
  func end(_ alert: ID<Alert>, now: Instant, in writer: WriteTransaction) throws {
    try writer.execute("UPDATE alerts SET ended_at = \(now), next_at = NULL WHERE id = \(alert)")
    try writer.execute(
      """
      UPDATE contact_mails SET alert_id = NULL
      WHERE alert_id = \(alert) AND kind = 'alert' AND state = 'sent' AND EXISTS (
        SELECT 1 FROM emergency_contacts c
        WHERE c.id = contact_mails.contact_id AND c.removed_at IS NOT NULL)
      """)
  }

  /// All alerts about a user, oldest first.
  func all(of person: ID<Person>, in reader: ReadTransaction) throws -> [Alert] {
    try reader.rows(
      """
      SELECT \(Self.columns) FROM alerts
      WHERE user_id = \(person) ORDER BY silence
      """, make: Self.alert)
  }

  /// Moves a user's alerts to another user, with their mails and the log. If both have an alert of
  /// the same silence, one is kept; it is open if either was. The mails of the other one count as sent
  /// since the one that is kept was claimed.
  func move(from: ID<Person>, to other: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      UPDATE alerts SET user_id = \(other) WHERE user_id = \(from)
        AND (timer_id IS NOT NULL OR silence NOT IN
          (SELECT silence FROM alerts WHERE user_id = \(other) AND timer_id IS NULL))
      """)
    try writer.execute(
      """
      UPDATE alerts SET ended_at = NULL
      WHERE user_id = \(other) AND timer_id IS NULL AND silence IN
        (SELECT silence FROM alerts WHERE user_id = \(from) AND ended_at IS NULL)
      """)
    try writer.execute(
      """
      UPDATE contact_mails SET alert_id =
        (SELECT a.id FROM alerts g JOIN alerts a ON a.silence = g.silence AND a.user_id = \(other)
           AND a.timer_id IS NULL
         WHERE g.id = contact_mails.alert_id),
        round = max(round,
        (SELECT a.first_round FROM alerts g JOIN alerts a ON a.silence = g.silence
           AND a.user_id = \(other) AND a.timer_id IS NULL
         WHERE g.id = contact_mails.alert_id))
      WHERE user_id = \(from) AND alert_id IN (SELECT id FROM alerts WHERE user_id = \(from))
      """)
    try writer.execute("DELETE FROM alerts WHERE user_id = \(from)")
    try writer.execute("UPDATE contact_mails SET user_id = \(other) WHERE user_id = \(from)")
    try writer.execute("UPDATE notification_logs SET user_id = \(other) WHERE user_id = \(from)")
  }

  /// The contacts notified by an alert: the mail was sent to them or is still queued.
  func notifiedContacts(of alert: ID<Alert>, in reader: ReadTransaction) throws -> [ID<Contact>] {
    try reader.values(
      """
      SELECT DISTINCT contact_id FROM contact_mails
      WHERE alert_id = \(alert) AND kind = 'alert' AND contact_id IS NOT NULL
        AND state IN ('waiting', 'sent')
      """)
  }

  /// The contacts who were sent a message of an alert, or are about to be by a watchman.
  func toldContacts(of alert: ID<Alert>, in reader: ReadTransaction) throws -> [ID<Contact>] {
    try reader.values(
      """
      SELECT DISTINCT contact_id FROM contact_mails
      WHERE alert_id = \(alert) AND kind = 'alert' AND contact_id IS NOT NULL
        AND (state = 'sent' OR state = 'waiting' AND by_watchman = 1)
      """)
  }

  /// The number of mails of an alert to a contact that were lost.
  func lostCount(
    of alert: ID<Alert>, to contact: ID<Contact>, in reader: ReadTransaction
  ) throws -> Int {
    try reader.count(
      """
      SELECT count(*) FROM contact_mails
      WHERE alert_id = \(alert) AND contact_id = \(contact) AND kind = 'alert'
        AND state = 'given-up'
      """)
  }

  // MARK: Mails

  /// Records a queued mail.
  func note(
    _ mail: ID<QueuedMail>, _ kind: ContactMailKind, to contact: ID<Contact>?,
    of person: ID<Person>, alert: ID<Alert>? = nil, round: Int? = nil, now: Instant,
    in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      INSERT INTO contact_mails (mail_id, user_id, contact_id, alert_id, round, kind, state,
        queued_at, changed_at)
      VALUES (\(mail), \(person), \(contact), \(alert), \(round), \(kind.rawValue), 'waiting',
        \(now), \(now))
      """)
  }

  /// The recipient and the purpose of a mail of this module; nil for mail of other modules.
  func find(_ mail: ID<QueuedMail>, in reader: ReadTransaction) throws -> TrackedMail? {
    try reader.first(
      """
      SELECT m.user_id, m.contact_id, m.alert_id, m.kind, m.state, a.day, a.missed_days
      FROM contact_mails m LEFT JOIN alerts a ON a.id = m.alert_id WHERE m.mail_id = \(mail)
      """
    ) { row in
      TrackedMail(
        person: try row.next(), contact: try row.next(), alert: try row.next(),
        kind: ContactMailKind(rawValue: try row.next()) ?? .introduction,
        state: ContactMailState(rawValue: try row.next()) ?? .waiting, day: try row.next(),
        missedDays: try row.next())
    }
  }

  func attempted(
    _ mail: ID<QueuedMail>, _ state: ContactMailState, error: String?, now: Instant,
    in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      UPDATE contact_mails SET state = \(state.rawValue), changed_at = \(now),
        attempts = attempts + 1, error = \(error.map { String($0.prefix(300)) })
      WHERE mail_id = \(mail)
      """)
  }

  /// Records that a mail that was queued when a backup was made was dropped. Returns the contact
  /// that it was to introduce; nil for other mails.
  static func mailDropped(
    _ mail: ID<QueuedMail>, now: Instant, in writer: WriteTransaction
  ) throws -> ID<Contact>? {
    try writer.first(
      """
      UPDATE contact_mails SET state = 'given-up', changed_at = \(now)
      WHERE mail_id = \(mail) AND state = 'waiting' RETURNING kind, contact_id
      """
    ) { row in
      let (kind, contact) = (try row.next(String.self), try row.next(ID<Contact>?.self))
      return kind == ContactMailKind.introduction.rawValue ? contact : nil
    } ?? nil
  }

  /// Logs an attempt to deliver an alert to a contact
  /// (docs/developer/check-in-contacts.md#mail-sending).
  func log(
    _ mail: ID<QueuedMail>, _ noted: TrackedMail, isSent: Bool, error: String?, now: Instant,
    in writer: WriteTransaction
  ) throws {
    guard noted.kind == .alert, let day = noted.day else { return }
    try writer.execute(
      """
      INSERT INTO notification_logs (id, user_id, mail_id, notification_day, missed_days, is_sent,
        error, attempted_at)
      VALUES (\(ID<TrackedMail>(now: now)), \(noted.person), \(mail), \(day), \(noted.missedDays),
        \(isSent), \(error.map { String($0.prefix(300)) }), \(now))
      """)
  }

  /// The latest mails to each of a person's contacts, newest first.
  func mails(
    of person: ID<Person>, since start: Instant, in reader: ReadTransaction
  ) throws -> [ID<Contact>: [ContactMail]] {
    let rows = try reader.rows(
      """
      SELECT contact_id, kind, state, changed_at,
        coalesce(offer, (SELECT h.offer FROM contact_channels h WHERE h.id = channel_id))
      FROM contact_mails
      WHERE user_id = \(person) AND queued_at >= \(start) AND contact_id IS NOT NULL
      ORDER BY queued_at DESC
      """
    ) { row in
      (
        contact: try row.next(ID<Contact>.self),
        mail: ContactMail(
          kind: ContactMailKind(rawValue: try row.next()) ?? .introduction,
          state: ContactMailState(rawValue: try row.next()) ?? .waiting, at: try row.next(),
          offer: try row.next())
      )
    }
    return Dictionary(grouping: rows, by: \.contact).mapValues { $0.map(\.mail) }
  }
}

/// A mail of this module as it was recorded.
struct TrackedMail {
  let person: ID<Person>
  let contact: ID<Contact>?
  let alert: ID<Alert>?
  let kind: ContactMailKind
  let state: ContactMailState
  let day: LocalDay?
  let missedDays: Int
}
