import Core
import Database
import Foundation
import Mail

/// Stores the list of a server, and what the watchman has sent.
struct WatchedAlertStore {
  struct Server {
    let version: Int64
    /// Seconds without an answer while the watchman ran.
    let silent: Int64
    let isReported: Bool
    /// Until when the server holds alerts after an outage of its own.
    let heldUntil: Instant?
  }

  struct Due {
    let person: ID<Person>
    let reference: String
    let moment: Instant
    let sealed: [UInt8]
  }

  /// An alert that was sent.
  enum Told {}

  struct Message {
    let id: ID<QueuedMail>
    let alert: ID<Told>?
    let contact: String
    let channel: String?
    let operatorNumber: Int?
    let isBack: Bool
    let attempts: Int
  }

  /// The parts of a message's text.
  struct Content {
    let alert: Due
    let silentSince: Instant
  }

  func server(in reader: ReadTransaction) throws -> Server {
    try reader.first("SELECT version, silent, is_reported, held_until FROM server") { row in
      Server(
        version: try row.next(), silent: try row.next(), isReported: try row.next(),
        heldUntil: try row.next())
    } ?? Server(version: 0, silent: 0, isReported: false, heldUntil: nil)
  }

  func setSilent(_ seconds: Int64, in writer: WriteTransaction) throws {
    try writer.execute("UPDATE server SET silent = \(seconds)")
  }

  func setReported(_ isReported: Bool, in writer: WriteTransaction) throws {
    try writer.execute("UPDATE server SET is_reported = \(isReported)")
  }

  // MARK: The list

  /// Takes over the changes of an answer.
  func apply(_ answer: WatchmanAnswer, in writer: WriteTransaction) throws {
    if answer.replacesAll {
      try writer.execute("DELETE FROM watched_alerts")
      // A server that was restored from a backup may not know of them.
      try writer.execute("UPDATE told_alerts SET is_settled = 0, reported_at = 0")
    }
    for entry in answer.entries {
      guard let person = ID<Person>(entry.person) else { continue }
      try writer.execute("DELETE FROM watched_alerts WHERE person = \(person)")
      for alert in entry.alerts {
        try writer.execute(
          """
          INSERT INTO watched_alerts (person, reference, moment, sealed)
          VALUES (\(person), \(alert.reference), \(Instant(milliseconds: alert.moment)),
            \(Array(alert.sealed)))
          """)
      }
    }
    for text in answer.recalled {
      guard let id = ID<QueuedMail>(text) else { continue }
      try writer.execute(
        "UPDATE messages SET state = 'recalled' WHERE id = \(id) AND state = 'waiting'")
    }
    for text in answer.settled {
      guard let id = ID<Told>(text) else { continue }
      try writer.execute(
        """
        UPDATE told_alerts SET is_settled = 1, sealed = x'' WHERE id = \(id) AND NOT EXISTS (
          SELECT 1 FROM messages WHERE alert_id = \(id) AND state = 'waiting')
        """)
    }
    let heldUntil = answer.heldUntil.map { Instant(milliseconds: $0) }
    try writer.execute(
      "UPDATE server SET version = \(answer.version), held_until = \(heldUntil)")
  }

  /// The alerts whose moment was before another one, longest due first.
  func due(before moment: Instant, limit: Int, in reader: ReadTransaction) throws -> [Due] {
    try reader.rows(
      """
      SELECT person, reference, moment, sealed FROM watched_alerts WHERE moment <= \(moment)
      ORDER BY moment LIMIT \(limit)
      """, make: Self.due)
  }

  /// Moves an alert to those that were sent; nil if it is no longer on the list.
  func tell(
    _ due: Due, silentSince: Instant, now: Instant, in writer: WriteTransaction
  ) throws -> ID<Told>? {
    guard try remove(due, in: writer) else { return nil }
    let id = ID<Told>(now: now)
    try writer.execute(
      """
      INSERT INTO told_alerts (id, person, reference, moment, sealed, told_at, silent_since)
      VALUES (\(id), \(due.person), \(due.reference), \(due.moment), \(due.sealed), \(now),
        \(silentSince))
      """)
    return id
  }

  /// Removes an alert from the list; false if it was removed before.
  @discardableResult
  func remove(_ due: Due, in writer: WriteTransaction) throws -> Bool {
    try writer.execute(
      "DELETE FROM watched_alerts WHERE person = \(due.person) AND reference = \(due.reference)")
      == 1
  }

  // MARK: Messages

  func add(
    to contact: ID<Contact>, by channel: ID<ContactChannel>?, of alert: ID<Told>, now: Instant,
    in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      INSERT INTO messages (id, alert_id, contact, channel, state, send_at)
      VALUES (\(ID<QueuedMail>(now: now)), \(alert), \(contact), \(channel), 'waiting', \(now))
      """)
  }

  /// Queues a message to one of the operator's addresses, in place of one that waits.
  func add(
    toOperator number: Int, isBack: Bool, now: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      "DELETE FROM messages WHERE operator = \(number) AND state = 'waiting'")
    try writer.execute(
      """
      INSERT INTO messages (id, operator, is_back, state, send_at)
      VALUES (\(ID<QueuedMail>(now: now)), \(number), \(isBack), 'waiting', \(now))
      """)
  }

  /// The messages that are due, longest due first: mails to contacts, or the others.
  func dueMessages(
    mails: Bool, now: Instant, limit: Int, in reader: ReadTransaction
  ) throws -> [Message] {
    try reader.rows(
      """
      SELECT id, alert_id, contact, channel, operator, is_back, attempts FROM messages
      WHERE state = 'waiting' AND send_at <= \(now)
        AND (channel IS NULL AND operator IS NULL) = \(mails)
      ORDER BY send_at, id LIMIT \(limit)
      """
    ) { row in
      Message(
        id: try row.next(), alert: try row.next(),
        contact: try row.next(ID<Contact>?.self)?.description ?? "",
        channel: try row.next(ID<ContactChannel>?.self)?.description,
        operatorNumber: try row.next(), isBack: try row.next(), attempts: try row.next())
    }
  }

  func content(of alert: ID<Told>, in reader: ReadTransaction) throws -> Content? {
    try reader.first(
      """
      SELECT person, reference, moment, sealed, silent_since FROM told_alerts WHERE id = \(alert)
      """
    ) { row in Content(alert: try Self.due(&row), silentSince: try row.next()) }
  }

  func end(
    _ message: ID<QueuedMail>, _ state: ContactMailState, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      "UPDATE messages SET state = \(state.rawValue), attempts = attempts + 1 WHERE id = \(message)"
    )
  }

  func postpone(
    _ message: ID<QueuedMail>, to moment: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      UPDATE messages SET send_at = \(moment), attempts = attempts + 1
      WHERE id = \(message) AND state = 'waiting'
      """)
  }

  /// Makes messages due that a clock that ran ahead has postponed.
  func makeDue(now: Instant, latest: Int64, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      UPDATE messages SET send_at = \(now)
      WHERE state = 'waiting' AND send_at > \(now.adding(seconds: latest))
      """)
  }

  // MARK: Reports

  /// The alerts that the server has not settled, those first of which it knows nothing, or has known
  /// longest.
  func unsettled(limit: Int, in reader: ReadTransaction) throws -> [WatchmanReport] {
    let told = try reader.rows(
      """
      SELECT id, person, reference, told_at FROM told_alerts WHERE is_settled = 0
      ORDER BY reported_at, told_at LIMIT \(limit)
      """
    ) { row in
      (
        id: try row.next(ID<Told>.self), person: try row.next(ID<Person>.self),
        reference: try row.next(String.self), at: try row.next(Instant.self)
      )
    }
    return try told.map { alert in
      WatchmanReport(
        id: alert.id.description, person: alert.person.description, reference: alert.reference,
        at: alert.at.milliseconds,
        messages: try reader.rows(
          "SELECT id, contact, channel, state FROM messages WHERE alert_id = \(alert.id)"
        ) { row in
          WatchmanReport.Message(
            id: try row.next(ID<QueuedMail>.self).description,
            contact: try row.next(ID<Contact>.self).description,
            channel: try row.next(ID<ContactChannel>?.self)?.description, state: try row.next())
        })
    }
  }

  /// The number of alerts of which the server knows nothing.
  func unreported(in reader: ReadTransaction) throws -> Int {
    try reader.count(
      "SELECT count(*) FROM told_alerts WHERE is_settled = 0 AND reported_at = 0")
  }

  func setReported(
    _ reports: [WatchmanReport], now: Instant, in writer: WriteTransaction
  ) throws {
    for report in reports {
      guard let id = ID<Told>(report.id) else { continue }
      try writer.execute("UPDATE told_alerts SET reported_at = \(now) WHERE id = \(id)")
    }
  }

  /// The number of alerts whose moment is before another one.
  func count(before moment: Instant, in reader: ReadTransaction) throws -> Int {
    try reader.count("SELECT count(*) FROM watched_alerts WHERE moment <= \(moment)")
  }

  /// Deletes what the server has settled long ago, and messages to the operator.
  func purge(before moment: Instant, in writer: WriteTransaction) throws {
    try writer.execute(
      "DELETE FROM told_alerts WHERE is_settled = 1 AND told_at < \(moment)")
    try writer.execute(
      """
      DELETE FROM messages WHERE alert_id IS NULL AND state <> 'waiting' AND send_at < \(moment)
      """)
  }

  private static func due(_ row: inout RowReader) throws -> Due {
    Due(
      person: try row.next(), reference: try row.next(), moment: try row.next(),
      sealed: try row.next())
  }
}
