import Core
import Database

/// Reads the state of a user's check-in, timer and alerts, for their home page.
struct TodayStore {
  struct Today: Sendable {
    /// Whether today's check-in of a user who has checked in before was made; nil if none is
    /// expected: in a pause, and without a contact.
    let hasCheckedIn: Bool?
    /// The end of a timer whose contacts are not alerted yet.
    let timerEndsAt: Instant?
    /// When the contacts were alerted, while an alert is open.
    let alertedAt: Instant?
    /// Whether there is an open alert about a user whose contact this one is.
    let mayBeAlerted: Bool
  }

  /// An open alert that was sent to a contact who has an account.
  struct ReceivedAlert: Sendable {
    let contact: ID<Contact>
    /// The name of the user that it is about.
    let name: String
    let lastTap: Instant?
    let claimedAt: Instant
    let isTimer: Bool
    let isHelp: Bool
  }

  /// A single statement, since the home page is asked for most.
  func today(of person: ID<Person>, on day: LocalDay, in reader: ReadTransaction) throws -> Today? {
    try reader.first(
      """
      SELECT
        (SELECT s.last_day >= \(day) FROM checkin_settings s
         WHERE s.user_id = \(person) AND s.last_day IS NOT NULL
           AND (s.paused_until IS NULL OR s.paused_until < \(day))
           AND EXISTS (
             SELECT 1 FROM emergency_contacts c
             WHERE c.user_id = s.user_id AND c.removed_at IS NULL)),
        (SELECT ends_at FROM checkin_timers WHERE user_id = \(person) AND alerted_at IS NULL),
        (SELECT max(claimed_at) FROM alerts WHERE user_id = \(person) AND ended_at IS NULL),
        EXISTS (
          SELECT 1 FROM emergency_contacts c JOIN alerts a ON a.user_id = c.user_id
          WHERE c.account_id = \(person) AND a.ended_at IS NULL AND a.reached_at IS NULL)
      """
    ) { row in
      Today(
        hasCheckedIn: try row.next(), timerEndsAt: try row.next(), alertedAt: try row.next(),
        mayBeAlerted: try row.next())
    }
  }

  /// The open alerts that were sent to this account as a contact, oldest first, until a contact has
  /// reached the user.
  func received(by account: ID<Person>, in reader: ReadTransaction) throws -> [ReceivedAlert] {
    try reader.rows(
      """
      SELECT c.id, p.name, s.last_tap, a.claimed_at, a.timer_id IS NOT NULL, coalesce(t.is_help, 0)
      FROM emergency_contacts c
      JOIN alerts a ON a.user_id = c.user_id
      JOIN people_seen p ON p.id = c.user_id
      JOIN checkin_settings s ON s.user_id = c.user_id
      LEFT JOIN checkin_timers t ON t.user_id = a.user_id AND t.id = a.timer_id
      WHERE c.account_id = \(account) AND a.ended_at IS NULL AND a.reached_at IS NULL
        AND EXISTS (
          SELECT 1 FROM contact_mails m
          WHERE m.alert_id = a.id AND m.contact_id = c.id AND m.kind = 'alert'
            AND m.state IN ('waiting', 'sent'))
      ORDER BY a.claimed_at
      """
    ) { row in
      ReceivedAlert(
        contact: try row.next(), name: try row.next(), lastTap: try row.next(),
        claimedAt: try row.next(), isTimer: try row.next(), isHelp: try row.next())
    }
  }
}
