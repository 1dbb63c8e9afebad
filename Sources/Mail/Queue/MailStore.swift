import Core
import Database

/// The SQL of the queue.
enum MailStore {
  static let recipient = EncryptedColumn<QueuedMail>(
    table: "mail_queue", owner: "id", column: "recipient_sealed", hashColumn: "recipient_hash",
    name: "recipient")
  static let content = EncryptedColumn<QueuedMail>(
    table: "mail_queue", owner: "id", column: "content_sealed", name: "content")

  /// One waiting mail, still encrypted.
  struct Sealed {
    let recipient: [UInt8]
    let content: [UInt8]
    let createdAt: Instant
    let retriesForever: Bool
    /// Whether a server has accepted it already.
    let isTaken: Bool
  }

  // MARK: Queueing

  static func add(
    _ id: ID<QueuedMail>, recipient: [UInt8], recipientHash: [UInt8], content: [UInt8],
    retriesForever: Bool, now: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      INSERT INTO mail_queue
        (id, recipient_sealed, recipient_hash, content_sealed, never_given_up, created_at)
      VALUES (\(id), \(recipient), \(recipientHash), \(content), \(retriesForever), \(now))
      """)
  }

  static func waiting(_ id: ID<QueuedMail>, in reader: ReadTransaction) throws -> Sealed? {
    try reader.first(
      """
      SELECT recipient_sealed, content_sealed, created_at, never_given_up,
        taken_at IS NOT NULL
      FROM mail_queue WHERE id = \(id) AND sent_at IS NULL AND failed_at IS NULL
      """
    ) {
      Sealed(
        recipient: try $0.next(), content: try $0.next(), createdAt: try $0.next(),
        retriesForever: try $0.next(), isTaken: try $0.next())
    }
  }

  /// Every waiting mail, the oldest first.
  static func allWaiting(in reader: ReadTransaction) throws -> [ID<QueuedMail>] {
    try reader.values(
      """
      SELECT id FROM mail_queue WHERE sent_at IS NULL AND failed_at IS NULL ORDER BY created_at
      """)
  }

  /// Some of the waiting mails, the newest first, still encrypted.
  static func newestWaiting(
    _ maximum: Int, in reader: ReadTransaction
  ) throws -> [(id: ID<QueuedMail>, recipient: [UInt8], content: [UInt8])] {
    try reader.rows(
      """
      SELECT id, recipient_sealed, content_sealed FROM mail_queue
      WHERE sent_at IS NULL AND failed_at IS NULL ORDER BY created_at DESC LIMIT \(maximum)
      """
    ) { (try $0.next(), try $0.next([UInt8].self), try $0.next([UInt8].self)) }
  }

  static func isKnown(_ id: ID<QueuedMail>, in reader: ReadTransaction) throws -> Bool {
    try reader.exists("SELECT 1 FROM mail_queue WHERE id = \(id)")
  }

  /// The number of waiting mails, and since when the oldest waits.
  static func waiting(in reader: ReadTransaction) throws -> (count: Int, oldest: Instant?) {
    try reader.first(
      """
      SELECT count(*), min(created_at) FROM mail_queue
      WHERE sent_at IS NULL AND failed_at IS NULL
      """
    ) { (try $0.next(Int.self), try $0.next(Instant?.self)) } ?? (0, nil)
  }

  /// The number of waiting mails, counted up to `maximum`.
  static func waiting(maximum: Int, in reader: ReadTransaction) throws -> Int {
    try reader.count(
      """
      SELECT count(*) FROM (
        SELECT 1 FROM mail_queue WHERE sent_at IS NULL AND failed_at IS NULL
        ORDER BY created_at LIMIT \(maximum)) AS counted
      """)
  }

  // MARK: Results

  static func markSent(_ id: ID<QueuedMail>, now: Instant, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      UPDATE mail_queue
      SET sent_at = \(now), attempts = attempts + 1, last_error = NULL, refused_us_at = NULL
      WHERE id = \(id)
      """)
  }

  /// Records that a server has accepted it, even if nothing else could be recorded.
  static func markTaken(_ id: ID<QueuedMail>, now: Instant, in writer: WriteTransaction) throws {
    try writer.execute("UPDATE mail_queue SET taken_at = \(now) WHERE id = \(id)")
  }

  /// Records a failed attempt, final with `isOver`; returns whether the mail was still waiting.
  static func markFailed(
    _ id: ID<QueuedMail>, _ failure: MailSendError, isOver: Bool, now: Instant,
    in writer: WriteTransaction
  ) throws -> Bool {
    let refusedUs = if case .refusedUs = failure { !isOver } else { false }
    return try writer.execute(
      """
      UPDATE mail_queue
      SET attempts = attempts + 1, last_error = \(failure.description),
        failed_at = \(isOver ? now : nil), refused_us_at = \(refusedUs ? now : nil)
      WHERE id = \(id) AND sent_at IS NULL AND failed_at IS NULL
      """) > 0
  }

  /// Records a bounce; returns nil if there is no such mail any more, else whether the bounce is
  /// new.
  static func markBounced(
    _ id: ID<QueuedMail>, _ reason: String, now: Instant, in writer: WriteTransaction
  ) throws -> Bool? {
    let changed = try writer.execute(
      """
      UPDATE mail_queue
      SET bounced_at = \(now), failed_at = coalesce(failed_at, \(now)), last_error = \(reason),
        refused_us_at = NULL
      WHERE id = \(id) AND bounced_at IS NULL
      """)
    if changed > 0 { return true }
    return try writer.exists("SELECT 1 FROM mail_queue WHERE id = \(id)") ? false : nil
  }

  static func hasComeBack(_ id: ID<QueuedMail>, in writer: WriteTransaction) throws -> Bool {
    try writer.exists("SELECT 1 FROM mail_queue WHERE id = \(id) AND bounced_at > 0")
  }

  static func count(_ result: MailResult, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      INSERT INTO mail_results (result, count) VALUES (\(result.name), 1)
      ON CONFLICT (result) DO UPDATE SET count = mail_results.count + 1
      """)
  }

  /// The number of such results since the instance's start.
  static func count(of result: String, in reader: ReadTransaction) throws -> Int {
    try reader.count("SELECT count FROM mail_results WHERE result = \(result)")
  }

  /// Since when a mail waits whose sender was rejected at its last attempt; nil if none does.
  static func refusedUsSince(in reader: ReadTransaction) throws -> Instant? {
    try reader.value(
      """
      SELECT refused_us_at FROM mail_queue WHERE refused_us_at > 0 ORDER BY refused_us_at LIMIT 1
      """, as: Instant.self)
  }

  /// Since when the oldest mail waits that is never given up; nil if none does.
  static func neverGivenUpSince(in reader: ReadTransaction) throws -> Instant? {
    try reader.value(
      """
      SELECT created_at FROM mail_queue
      WHERE never_given_up = 1 AND sent_at IS NULL AND failed_at IS NULL
      ORDER BY created_at LIMIT 1
      """, as: Instant.self)
  }

  // MARK: Deletion

  static func removeUnsent(_ id: ID<QueuedMail>, in writer: WriteTransaction) throws {
    try writer.execute(
      "DELETE FROM mail_queue WHERE id = \(id) AND sent_at IS NULL AND failed_at IS NULL")
  }

  /// Drops mails that have waited since before a moment, unless they are never given up; returns
  /// them.
  static func dropUnsent(
    before moment: Instant, in writer: WriteTransaction
  ) throws -> [ID<QueuedMail>] {
    try writer.values(
      """
      DELETE FROM mail_queue WHERE sent_at IS NULL AND failed_at IS NULL
        AND never_given_up = 0 AND created_at < \(moment) RETURNING id
      """)
  }

  static func remove(recipientHash: [UInt8], until moment: Instant, in writer: WriteTransaction)
    throws
  {
    try writer.execute(
      """
      DELETE FROM mail_queue
      WHERE recipient_hash = \(recipientHash) AND created_at <= \(moment)
        AND (never_given_up = 0 OR sent_at IS NOT NULL)
      """)
  }

  static func removeEnded(before moment: Instant, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      DELETE FROM mail_queue
      WHERE (sent_at IS NOT NULL OR failed_at IS NOT NULL)
        AND coalesce(sent_at, failed_at) < \(moment)
      """)
  }
}
