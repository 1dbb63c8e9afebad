import Core
import Database
import Secrets
import WebPush

/// What browsers are yet to be told, kept in the transaction that makes it necessary.
struct PushOutbox: Sendable {
  /// How long one who sends may take before another begins anew, in s.
  static let lease: Int64 = .minutes(1)
  /// How many are looked at for one that no other thread has taken by then.
  private static let seen = 10

  /// One push as it waits.
  struct Entry: Sendable {
    let id: ID<Entry>
    let subscription: ID<PushSubscription>
    let person: ID<Person>
    let kind: String
    let path: String
    let topic: String
    let isUrgent: Bool
    let attempts: Int
    let endsAt: Instant
    let endpoint: String
    let host: String
    let point: [UInt8]
    let secret: [UInt8]
    fileprivate let runAt: Instant
  }

  /// Has all browsers of these people told once this transaction is on the disk. What waits for one
  /// of them about the same gives way; what one person does over and over is told once.
  static func add(
    _ notice: NewNotice, to people: [ID<Person>], now: Instant, in writer: WriteTransaction
  ) throws {
    let people = try PushDeduplication.unheard(notice, by: people, now: now, in: writer)
    guard !people.isEmpty else { return }
    let packed = IDList(people)
    try writer.execute(
      """
      INSERT INTO push_outbox
        (id, subscription_id, kind, subject, path, topic, is_urgent, run_at, ends_at)
      SELECT randomblob(16), s.id, ?, ?, ?, ?, ?, ?, ? FROM json_each(?)
      CROSS JOIN push_subscriptions s ON s.user_id = \(IDList.only) WHERE true
      ON CONFLICT (subscription_id, topic) DO UPDATE SET id = excluded.id, path = excluded.path,
        run_at = excluded.run_at, ends_at = excluded.ends_at, attempts = 0
      """, notice.kind.rawValue, notice.subject, notice.path, topic(of: notice), notice.isUrgent,
      now, now.adding(seconds: notice.pushLife), packed.places, packed.bytes)
  }

  /// Takes back what waits for anybody about something.
  static func forget(_ kind: NoticeKind, subject: [UInt8], in writer: WriteTransaction) throws {
    try writer.execute(
      "DELETE FROM push_outbox WHERE subject = ? AND kind = ?", subject, kind.rawValue)
  }

  /// Takes back what waits for a person's browsers about something.
  static func forget(
    _ kind: NoticeKind, subject: [UInt8], of person: ID<Person>, in writer: WriteTransaction
  ) throws {
    // Hardly ever anything waits; a deletion with a question in it makes a table of its own each time.
    guard
      try writer.reader.exists(
        "SELECT 1 FROM push_outbox WHERE subject = ? AND kind = ?", subject, kind.rawValue)
    else { return }
    try writer.execute(
      """
      DELETE FROM push_outbox WHERE kind = ? AND subject = ? AND subscription_id IN (
        SELECT id FROM push_subscriptions WHERE user_id = ?)
      """, kind.rawValue, subject, person)
  }

  /// Names what a push is about, to nobody but us.
  private static func topic(of notice: NewNotice) -> String {
    let event = notice.kind.isGathered ? "" : notice.event
    let words = Array("\(notice.kind.rawValue)\0\(event)\0".utf8)
    return Base64URL.text(Digests.sha256(words + (notice.subject ?? [])).prefix(18))
  }

  // MARK: Sending

  /// Takes the one that has been due for longest of those whose services aren't `busy`.
  func claim(in database: Database, busy: Set<String>, now: Instant) throws -> Entry? {
    let due = try database.read { reader in
      try reader.rows(
        """
        SELECT o.id, o.subscription_id, s.user_id, o.kind, o.path, o.topic, o.is_urgent,
          o.attempts, o.ends_at, s.endpoint, s.host, s.point, s.secret, o.run_at
        FROM push_outbox o JOIN push_subscriptions s ON s.id = o.subscription_id
        WHERE o.run_at <= ? AND s.host NOT IN (SELECT value FROM json_each(?))
        ORDER BY o.run_at LIMIT ?
        """, now, Self.list(busy), Self.seen
      ) { row in
        Entry(
          id: try row.id(0), subscription: try row.id(1), person: try row.id(2),
          kind: row.text(3), path: row.text(4), topic: row.text(5), isUrgent: row.flag(6),
          attempts: row.int(7), endsAt: row.instant(8), endpoint: row.text(9), host: row.text(10),
          point: row.bytes(11), secret: row.bytes(12), runAt: row.instant(13))
      }
    }
    for entry in due {
      let isOurs = try database.writeWithoutHooks {
        try $0.execute(
          "UPDATE push_outbox SET run_at = ?, attempts = attempts + 1 WHERE id = ? AND run_at = ?",
          now.adding(seconds: Self.lease), entry.id, entry.runAt) == 1
      }
      if isOurs { return entry }
    }
    return nil
  }

  /// As JSON; a host has no character that would need care there.
  private static func list(_ hosts: Set<String>) -> String {
    "[\(hosts.map { "\"\($0)\"" }.joined(separator: ","))]"
  }

  func remove(_ entry: Entry, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM push_outbox WHERE id = ?", entry.id)
  }

  /// The browser has unsubscribed: nothing more goes there.
  func end(_ entry: Entry, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM push_subscriptions WHERE id = ?", entry.subscription)
  }

  /// Again at that moment, if it still says something then. Others of the same service have their own
  /// turn: what is wrong may be wrong with this browser alone.
  func postpone(_ entry: Entry, to moment: Instant, in writer: WriteTransaction) throws {
    guard moment < entry.endsAt else { return try remove(entry, in: writer) }
    try writer.execute("UPDATE push_outbox SET run_at = ? WHERE id = ?", moment, entry.id)
  }

  /// Removes what says nothing to anybody any more, some at a time; false when nothing was.
  static func purge(now: Instant, limit: Int, in writer: WriteTransaction) throws -> Bool {
    try writer.execute(
      """
      DELETE FROM push_outbox WHERE id IN (
        SELECT id FROM push_outbox WHERE ends_at <= ? ORDER BY ends_at LIMIT ?)
      """, now, limit) > 0
  }

  func count(in reader: ReadTransaction) throws -> Int {
    try reader.count("SELECT count(*) FROM push_outbox")
  }
}

extension NewNotice {
  /// Whether a phone is to wake for it.
  var isUrgent: Bool {
    switch kind {
    case .groupCall, .groupEmergency, .groupWaypoint, .checkIn: true
    default: false
    }
  }

  /// No push lives longer, in s.
  static let longestPushLife: Int64 = .days(2)

  /// How long a push of it still says something, in s. Warnings hold until the alert, on the
  /// morning after the evening they come in (docs/developer/check-in.md): a phone may be off all
  /// night.
  var pushLife: Int64 {
    switch kind {
    case .groupCall, .groupWaypoint: .hours(1)
    case .groupEmergency, .groupChange: .hours(12)
    case .checkIn: NoticeEvent.isWarning(event) ? .hours(24) : .hours(6)
    case .anniversary, .groupMember: .hours(12)
    case .partnerPosted, .postLiked, .newFollower, .decision: Self.longestPushLife
    }
  }
}

extension NoticeKind {
  /// How long after one person's doing was pushed the same of theirs is not pushed again, in s: a
  /// heart that goes on and off wakes nobody twice. Nil where each time is news.
  var pushPause: Int64? {
    switch self {
    case .postLiked, .newFollower: NoticeRules.life
    case .groupMember: .days(1)
    case .partnerPosted, .decision, .checkIn, .anniversary: nil
    case .groupCall, .groupEmergency, .groupWaypoint, .groupChange: nil
    }
  }

  /// What stands on a lock screen: no names, no places, no words of anybody.
  var pushKey: String { "push.text_\(rawValue)" }
}
