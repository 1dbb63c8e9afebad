import Core
import Database
import Mail

/// Mails that are no longer true before they were sent.
extension AlertStore {
  /// Marks the unsent mails of an alert as recalled and returns them.
  func recall(of alert: ID<Alert>, in writer: WriteTransaction) throws -> [ID<QueuedMail>] {
    try writer.values(
      """
      UPDATE contact_mails SET state = 'recalled'
      WHERE alert_id = \(alert) AND kind = 'alert' AND state = 'waiting' RETURNING mail_id
      """)
  }

  /// Ends every alert that has reached no contact and recalls its mails, as if it had never been
  /// raised; whether it is due is decided again. Returns the mails and the users concerned.
  func reopenUnnotified(
    now: Instant, in writer: WriteTransaction
  ) throws -> (mails: [ID<QueuedMail>], people: [ID<Person>]) {
    let recalled = try writer.rows(
      """
      UPDATE contact_mails SET state = 'recalled', changed_at = \(now)
      WHERE kind = 'alert' AND state = 'waiting' AND alert_id IN (
        SELECT a.id FROM alerts a WHERE a.ended_at IS NULL AND a.reached_at IS NULL
          AND NOT EXISTS (SELECT 1 FROM contact_mails m
            WHERE m.alert_id = a.id AND m.kind = 'alert' AND m.state = 'sent'))
      RETURNING mail_id, alert_id, user_id
      """
    ) {
      (
        mail: try $0.next(ID<QueuedMail>.self), alert: try $0.next(ID<Alert>.self),
        person: try $0.next(ID<Person>.self)
      )
    }
    for alert in Set(recalled.map(\.alert)) { try end(alert, now: now, in: writer) }
    return (recalled.map(\.mail), Array(Set(recalled.map(\.person))))
  }

  /// Recalls all mails to the contacts whose address has this keyed hash, since they refuse mail.
  func recall(emailHash: [UInt8], in writer: WriteTransaction) throws -> [ID<QueuedMail>] {
    try writer.values(
      """
      UPDATE contact_mails SET state = 'recalled'
      WHERE state = 'waiting' AND contact_id IN (
        SELECT id FROM emergency_contacts WHERE email_hash = \(emailHash)) RETURNING mail_id
      """)
  }

  /// Recalls what waits for a contact who was removed, except the end of an alert that they know
  /// of. A watchman is told with its next report.
  func recall(contact: ID<Contact>, in writer: WriteTransaction) throws -> [ID<QueuedMail>] {
    try writer.values(
      """
      UPDATE contact_mails SET state = 'recalled'
      WHERE contact_id = \(contact) AND state = 'waiting' AND by_watchman = 0
        AND kind NOT IN ('all-clear', 'reached')
      RETURNING mail_id
      """)
  }

  /// Recalls the mails to the user that only ask for a check-in, which ends no timer; with `all`,
  /// every mail about the user.
  func recall(
    of person: ID<Person>, all: Bool, in writer: WriteTransaction
  ) throws -> [ID<QueuedMail>] {
    // Mails rarely wait here, and a statement with RETURNING builds a temporary table each time.
    guard
      try writer.exists(
        "SELECT 1 FROM contact_mails WHERE user_id = \(person) AND state = 'waiting'")
    else { return [] }
    return try writer.values(
      """
      UPDATE contact_mails SET state = 'recalled'
      WHERE user_id = \(person) AND state = 'waiting'
        AND (kind IN ('reminder', 'warning') OR \(all) = 1)
      RETURNING mail_id
      """)
  }

  /// Recalls the warnings of a user's timer that has ended.
  func recallTimerWarnings(
    of person: ID<Person>, in writer: WriteTransaction
  ) throws -> [ID<QueuedMail>] {
    try writer.values(
      """
      UPDATE contact_mails SET state = 'recalled'
      WHERE user_id = \(person) AND state = 'waiting' AND kind = 'timer-warning'
      RETURNING mail_id
      """)
  }
}
