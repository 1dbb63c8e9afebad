import Core
import Database
import Mail

/// Stores what a watchman has asked, and whose alerts have changed since
/// (docs/developer/watchman.md). Triggers record the changes.
struct WatchmanStore {
  /// The state of a watchman that has asked at least once.
  struct State {
    /// The version of the latest change.
    let version: Int64
    /// The version up to which changes are forgotten, since the watchman has them.
    let acknowledged: Int64
    let askedAt: Instant
    /// The silence after which the watchman acts, in s.
    let silentAfter: Int64
    /// Since when alerts wait for the watchman's next question.
    let waitingSince: Instant?
  }

  func state(in reader: ReadTransaction) throws -> State? {
    try reader.first(
      """
      SELECT version, acknowledged, asked_at, silent_after, waiting_since FROM watchman WHERE id = 1
      """
    ) { row in
      State(
        version: try row.next(), acknowledged: try row.next(), askedAt: try row.next(),
        silentAfter: try row.next(), waitingSince: try row.next())
    }
  }

  /// Makes the row of the watchman at its first question.
  func begin(silentAfter: Int64, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      INSERT INTO watchman (id, version, acknowledged, asked_at, silent_after)
      VALUES (1, 0, 0, 0, \(silentAfter))
      ON CONFLICT (id) DO UPDATE SET silent_after = excluded.silent_after
      """)
  }

  /// Records a question after which all is known that the watchman has sent.
  func asked(now: Instant, in writer: WriteTransaction) throws {
    try writer.execute(
      "UPDATE watchman SET asked_at = \(now), waiting_since = NULL WHERE id = 1")
  }

  func wait(since moment: Instant, in writer: WriteTransaction) throws {
    try writer.execute("UPDATE watchman SET waiting_since = \(moment) WHERE id = 1")
  }

  /// Marks all users who use the check-in as changed, after a version.
  func changeAll(after version: Int64, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM watchman_changes")
    try writer.execute(
      """
      INSERT INTO watchman_changes (user_id, version)
      SELECT user_id, \(version) + row_number() OVER (ORDER BY user_id) FROM checkin_settings
      """)
    try writer.execute(
      """
      UPDATE watchman SET version =
        coalesce((SELECT max(version) FROM watchman_changes), \(version) + 1) WHERE id = 1
      """)
  }

  /// Forgets the changes that the watchman has. Those of erased users stay until then: it must learn
  /// that nothing is due for them.
  func forget(until version: Int64, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM watchman_changes WHERE version <= \(version)")
    try writer.execute("UPDATE watchman SET acknowledged = \(version) WHERE id = 1")
  }

  /// The next users who have changed, with the version of the change.
  func changes(
    limit: Int, in reader: ReadTransaction
  ) throws -> [(person: ID<Person>, version: Int64)] {
    try reader.rows(
      "SELECT user_id, version FROM watchman_changes ORDER BY version LIMIT \(limit)"
    ) { (try $0.next(ID<Person>.self), try $0.next(Int64.self)) }
  }

  // MARK: Messages that a watchman sent

  /// The state of a message that was reported before; nil if it is new.
  func reported(
    _ id: ID<QueuedMail>, in reader: ReadTransaction
  ) throws -> ContactMailState? {
    try reader.value("SELECT state FROM contact_mails WHERE mail_id = \(id)", as: String.self)
      .flatMap(ContactMailState.init)
  }

  /// Whether the contact has a message of the alert by the same means, sent or waiting.
  func isNotified(
    _ contact: ID<Contact>, by channel: ID<ContactChannel>?, of alert: ID<Alert>,
    in reader: ReadTransaction
  ) throws -> Bool {
    try reader.exists(
      """
      SELECT 1 FROM contact_mails WHERE alert_id = \(alert) AND contact_id = \(contact)
        AND channel_id IS NOT DISTINCT FROM \(channel) AND kind = 'alert'
        AND state IN ('waiting', 'sent')
      """)
  }

  /// Records a message of the watchman, which sends it itself: it has no time to be sent here.
  func add(
    _ id: ID<QueuedMail>, to contact: ID<Contact>, by channel: ID<ContactChannel>?,
    of alert: Alert, _ state: ContactMailState, at moment: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      INSERT INTO contact_mails (mail_id, user_id, contact_id, channel_id, alert_id, round, kind,
        state, queued_at, changed_at, by_watchman)
      VALUES (\(id), \(alert.person), \(contact), \(channel), \(alert.id), \(alert.round), 'alert',
        \(state.rawValue), \(moment), \(moment), 1)
      """)
  }

  func change(
    _ id: ID<QueuedMail>, to state: ContactMailState, now: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      UPDATE contact_mails SET state = \(state.rawValue), changed_at = \(now)
      WHERE mail_id = \(id)
      """)
  }

  /// Recalls the messages that a watchman has not sent; makes the next steps of their alerts due.
  func recallUnsent(now: Instant, in writer: WriteTransaction) throws {
    let alerts = try writer.values(
      """
      UPDATE contact_mails SET state = 'recalled', changed_at = \(now)
      WHERE by_watchman = 1 AND state = 'waiting' RETURNING alert_id
      """, as: ID<Alert>.self)
    for alert in Set(alerts) {
      try writer.execute(
        """
        UPDATE alerts SET next_at = \(now)
        WHERE id = \(alert) AND ended_at IS NULL AND reached_at IS NULL
        """)
    }
  }

  /// Marks the server's own unsent messages of an alert as recalled; returns them.
  func recallOwn(
    to contact: ID<Contact>, by channel: ID<ContactChannel>?, of alert: ID<Alert>,
    in writer: WriteTransaction
  ) throws -> [ID<QueuedMail>] {
    try writer.values(
      """
      UPDATE contact_mails SET state = 'recalled', send_at = NULL
      WHERE alert_id = \(alert) AND contact_id = \(contact)
        AND channel_id IS NOT DISTINCT FROM \(channel)
        AND kind = 'alert' AND state = 'waiting' AND by_watchman = 0
      RETURNING mail_id
      """)
  }
}
