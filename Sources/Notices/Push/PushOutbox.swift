import Core
import Database
import Secrets
import WebPush

/// Pushes to be sent, written in the transaction of their cause.
struct PushOutbox: Sendable {
  /// Time after which a claimed push may be claimed again, in s.
  static let lease: Int64 = .minutes(1)
  /// Number of rows tried to find one that no other thread has claimed.
  private static let seen = 10

  /// A waiting push.
  struct Entry: Sendable {
    let id: ID<Entry>
    let subscription: ID<PushSubscription>
    let person: ID<Person>
    let kind: String
    let subject: [UInt8]?
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

  /// Queues pushes to all browsers of these users, sent at a moment, after the commit. Replaces
  /// waiting pushes about the same subject; an action that a user repeats is pushed once.
  static func add(
    _ notice: NewNotice, to people: [ID<Person>], at moment: Instant, now: Instant,
    in writer: WriteTransaction
  ) throws {
    let people = try PushDeduplication.recordRecipients(notice, by: people, now: now, in: writer)
    guard !people.isEmpty else { return }
    try writer.execute(
      """
      INSERT INTO push_outbox
        (id, subscription_id, kind, subject, path, topic, is_urgent, run_at, ends_at)
      SELECT randomblob(16), s.id, \(notice.kind.rawValue), \(notice.subject), \(notice.path),
        \(topic(of: notice)), \(notice.isUrgent), \(moment),
        \(now.adding(seconds: notice.pushLifetime))
      FROM \(IDList(people)) AS p CROSS JOIN push_subscriptions s WHERE s.user_id = p.id
      ON CONFLICT (subscription_id, topic) DO UPDATE SET id = excluded.id, path = excluded.path,
        run_at = excluded.run_at, ends_at = excluded.ends_at, attempts = 0
      """)
  }

  static func forgetAll(in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM push_outbox")
  }

  /// Deletes all waiting pushes about a subject.
  static func forget(_ kind: NoticeKind, subject: [UInt8], in writer: WriteTransaction) throws {
    try writer.execute(
      "DELETE FROM push_outbox WHERE subject = \(subject) AND kind = \(kind.rawValue)")
  }

  /// Deletes waiting pushes about a subject to a user's browsers; with `path`, only those that open
  /// this page.
  static func forget(
    _ kind: NoticeKind, subject: [UInt8], path: String? = nil, of person: ID<Person>,
    in writer: WriteTransaction
  ) throws {
    // Rows are rare here, and a DELETE with a subquery builds a temporary table each time.
    guard
      try writer.exists(
        "SELECT 1 FROM push_outbox WHERE subject = \(subject) AND kind = \(kind.rawValue)")
    else { return }
    let opensPath: Query = path.map { "path = \($0)" } ?? "true"
    try writer.execute(
      """
      DELETE FROM push_outbox WHERE kind = \(kind.rawValue) AND subject = \(subject)
        AND \(opensPath) AND subscription_id IN (
        SELECT id FROM push_subscriptions WHERE user_id = \(person))
      """)
  }

  /// An internal identifier of a push's subject.
  private static func topic(of notice: NewNotice) -> String {
    let event = notice.kind.isGathered ? "" : notice.event
    let words = Array("\(notice.kind.rawValue)\0\(event)\0".utf8)
    return Base64URL.text(Digests.sha256(words + (notice.subject ?? [])).prefix(18))
  }

  // MARK: Sending

  /// Claims the push that has been due longest, except those to `busy` services.
  func claim(in database: Database, busy: Set<String>, now: Instant) throws -> Entry? {
    let due = try database.read { reader in
      try reader.rows(
        """
        SELECT o.id, o.subscription_id, s.user_id, o.kind, o.subject, o.path, o.topic, o.is_urgent,
          o.attempts, o.ends_at, s.endpoint, s.host, s.point, s.secret, o.run_at
        FROM push_outbox o JOIN push_subscriptions s ON s.id = o.subscription_id
        WHERE o.run_at <= \(now) AND s.host NOT IN \(ValueList(busy))
        ORDER BY o.run_at LIMIT \(Self.seen)
        """
      ) { row in
        Entry(
          id: try row.next(), subscription: try row.next(), person: try row.next(),
          kind: try row.next(), subject: try row.next(), path: try row.next(),
          topic: try row.next(), isUrgent: try row.next(),
          attempts: try row.next(), endsAt: try row.next(), endpoint: try row.next(),
          host: try row.next(),
          point: try row.next(), secret: try row.next(), runAt: try row.next())
      }
    }
    for entry in due {
      let isOurs = try database.writeWithoutHooks {
        try $0.execute(
          """
          UPDATE push_outbox SET run_at = \(now.adding(seconds: Self.lease)),
            attempts = attempts + 1 WHERE id = \(entry.id) AND run_at = \(entry.runAt)
          """) == 1
      }
      if isOurs { return entry }
    }
    return nil
  }

  func remove(_ entry: Entry, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM push_outbox WHERE id = \(entry.id)")
  }

  /// Deletes the subscription after the browser has unsubscribed.
  func end(_ entry: Entry, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM push_subscriptions WHERE id = \(entry.subscription)")
  }

  /// Retries at that time, unless the push has expired by then. Other pushes to the same service
  /// keep their own schedule: the error may concern this browser only.
  func postpone(_ entry: Entry, to moment: Instant, in writer: WriteTransaction) throws {
    guard moment < entry.endsAt else { return try remove(entry, in: writer) }
    try writer.execute("UPDATE push_outbox SET run_at = \(moment) WHERE id = \(entry.id)")
  }

  /// Deletes expired pushes, a batch at a time; false if there were none.
  static func purge(now: Instant, limit: Int, in writer: WriteTransaction) throws -> Bool {
    try writer.execute(
      """
      DELETE FROM push_outbox WHERE id IN (
        SELECT id FROM push_outbox WHERE ends_at <= \(now) ORDER BY ends_at LIMIT \(limit))
      """) > 0
  }

  func count(in reader: ReadTransaction) throws -> Int {
    try reader.count("SELECT count(*) FROM push_outbox")
  }
}

extension NewNotice {
  /// Whether the push should wake the device.
  var isUrgent: Bool {
    switch kind {
    case .groupCall, .groupEmergency, .groupWaypoint, .checkIn, .partnerSilent, .message: true
    default: false
    }
  }

  /// The longest lifetime of a push, in s.
  static let maximumPushLifetime: Int64 = .days(2)

  /// Lifetime of a push, in s. Warnings last until the alert, on the morning after the evening on
  /// which they are sent (docs/developer/check-in.md): a phone may be off all night.
  var pushLifetime: Int64 {
    switch kind {
    case .groupCall, .groupWaypoint: .hours(1)
    case .groupEmergency, .groupChange: .hours(12)
    case .checkIn: NoticeEvent.isWarning(event) ? .hours(24) : .hours(6)
    case .partnerSilent: .hours(24)
    case .anniversary, .groupMember: .hours(12)
    case .partnerPosted, .postLiked, .postCommented, .newFollower, .decision, .contactChosen,
      .workoutCheered, .exportReady, .message:
      Self.maximumPushLifetime
    }
  }
}

extension NoticeKind {
  /// Time during which the same action of the same user is not pushed again, in s: repeated likes
  /// and unlikes push once. Nil if each one is news.
  var pushPause: Int64? {
    switch self {
    case .postLiked, .newFollower, .contactChosen, .workoutCheered: NoticeRules.life
    case .groupMember: .days(1)
    case .postCommented: .minutes(10)
    // One push for a burst; reading the conversation ends the pause.
    case .message: .minutes(2)
    case .partnerPosted, .decision, .checkIn, .partnerSilent, .anniversary, .exportReady: nil
    case .groupCall, .groupEmergency, .groupWaypoint, .groupChange: nil
    }
  }

  /// The text on a lock screen: no names, places or users' texts. Those of messages are made by
  /// `PushTexts`.
  var pushKey: String { "push.text_\(rawValue)" }
}
