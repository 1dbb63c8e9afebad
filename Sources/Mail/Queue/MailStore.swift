import Core
import Database

/// The SQL of the queue.
enum MailStore {
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
      VALUES (?, ?, ?, ?, ?, ?)
      """, id, recipient, recipientHash, content, retriesForever, now)
  }

  static func waiting(_ id: ID<QueuedMail>, in reader: ReadTransaction) throws -> Sealed? {
    try reader.first(
      """
      SELECT recipient_sealed, content_sealed, created_at, never_given_up, taken_at FROM mail_queue
      WHERE id = ? AND sent_at IS NULL AND failed_at IS NULL
      """, id
    ) {
      Sealed(
        recipient: $0.bytes(0), content: $0.bytes(1), createdAt: $0.instant(2),
        retriesForever: $0.flag(3), isTaken: !$0.isNull(4))
    }
  }

  /// Every waiting mail, the oldest first.
  static func allWaiting(in reader: ReadTransaction) throws -> [ID<QueuedMail>] {
    try reader.rows(
      """
      SELECT id FROM mail_queue WHERE sent_at IS NULL AND failed_at IS NULL ORDER BY created_at
      """
    ) { try $0.id(0) }
  }

  /// Some of the waiting mails, the newest first, still encrypted.
  static func newestWaiting(
    _ most: Int, in reader: ReadTransaction
  ) throws -> [(id: ID<QueuedMail>, recipient: [UInt8], content: [UInt8])] {
    try reader.rows(
      """
      SELECT id, recipient_sealed, content_sealed FROM mail_queue
      WHERE sent_at IS NULL AND failed_at IS NULL ORDER BY created_at DESC LIMIT ?
      """, most
    ) { (try $0.id(0), $0.bytes(1), $0.bytes(2)) }
  }

  static func isKnown(_ id: ID<QueuedMail>, in reader: ReadTransaction) throws -> Bool {
    try reader.exists("SELECT 1 FROM mail_queue WHERE id = ?", id)
  }

  /// The number of waiting mails, and since when the oldest waits.
  static func waiting(in reader: ReadTransaction) throws -> (count: Int, oldest: Instant?) {
    try reader.first(
      """
      SELECT count(*), min(created_at) FROM mail_queue
      WHERE sent_at IS NULL AND failed_at IS NULL
      """
    ) { ($0.int(0), $0.optionalInstant(1)) } ?? (0, nil)
  }

  /// The number of waiting mails, counted up to `most`.
  static func waiting(most: Int, in reader: ReadTransaction) throws -> Int {
    try reader.count(
      """
      SELECT count(*) FROM (
        SELECT 1 FROM mail_queue WHERE sent_at IS NULL AND failed_at IS NULL
        ORDER BY created_at LIMIT ?)
      """, most)
  }

  // MARK: Results

  static func markSent(_ id: ID<QueuedMail>, now: Instant, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      UPDATE mail_queue
      SET sent_at = ?, attempts = attempts + 1, last_error = NULL, refused_us_at = NULL
      WHERE id = ?
      """, now, id)
  }

  /// Records that a server has accepted it, even if nothing else could be recorded.
  static func markTaken(_ id: ID<QueuedMail>, now: Instant, in writer: WriteTransaction) throws {
    try writer.execute("UPDATE mail_queue SET taken_at = ? WHERE id = ?", now, id)
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
      SET attempts = attempts + 1, last_error = ?, failed_at = ?, refused_us_at = ?
      WHERE id = ? AND sent_at IS NULL AND failed_at IS NULL
      """, failure.description, isOver ? now : nil, refusedUs ? now : nil, id) > 0
  }

  /// Records a bounce; returns nil if there is no such mail any more, else whether the bounce is
  /// new.
  static func markBounced(
    _ id: ID<QueuedMail>, _ reason: String, now: Instant, in writer: WriteTransaction
  ) throws -> Bool? {
    let changed = try writer.execute(
      """
      UPDATE mail_queue
      SET bounced_at = ?, failed_at = coalesce(failed_at, ?), last_error = ?, refused_us_at = NULL
      WHERE id = ? AND bounced_at IS NULL
      """, now, now, reason, id)
    if changed > 0 { return true }
    return try writer.exists("SELECT 1 FROM mail_queue WHERE id = ?", id) ? false : nil
  }

  static func hasComeBack(_ id: ID<QueuedMail>, in writer: WriteTransaction) throws -> Bool {
    try writer.exists("SELECT 1 FROM mail_queue WHERE id = ? AND bounced_at > 0", id)
  }

  static func count(_ result: MailResult, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      INSERT INTO mail_results (result, count) VALUES (?, 1)
      ON CONFLICT (result) DO UPDATE SET count = count + 1
      """, result.name)
  }

  /// The number of such results since the instance's start.
  static func count(of result: String, in reader: ReadTransaction) throws -> Int {
    try reader.count("SELECT count FROM mail_results WHERE result = ?", result)
  }

  /// Since when a mail waits whose sender was rejected at its last attempt; nil if none does.
  static func refusedUsSince(in reader: ReadTransaction) throws -> Instant? {
    try reader.first(
      "SELECT refused_us_at FROM mail_queue WHERE refused_us_at > 0 ORDER BY refused_us_at LIMIT 1"
    ) { $0.instant(0) }
  }

  /// Since when the oldest mail waits that is never given up; nil if none does.
  static func neverGivenUpSince(in reader: ReadTransaction) throws -> Instant? {
    try reader.first(
      """
      SELECT created_at FROM mail_queue
      WHERE never_given_up = 1 AND sent_at IS NULL AND failed_at IS NULL
      ORDER BY created_at LIMIT 1
      """
    ) { $0.instant(0) }
  }

  // MARK: Deletion

  static func removeUnsent(_ id: ID<QueuedMail>, in writer: WriteTransaction) throws {
    try writer.execute(
      "DELETE FROM mail_queue WHERE id = ? AND sent_at IS NULL AND failed_at IS NULL", id)
  }

  /// Drops mails that have waited since before a moment, unless they are never given up; returns
  /// them.
  static func dropUnsent(
    before moment: Instant, in writer: WriteTransaction
  ) throws -> [ID<QueuedMail>] {
    try writer.rows(
      """
      DELETE FROM mail_queue WHERE sent_at IS NULL AND failed_at IS NULL
        AND never_given_up = 0 AND created_at < ? RETURNING id
      """, moment
    ) { try $0.id(0) }
  }

  static func remove(recipientHash: [UInt8], until moment: Instant, in writer: WriteTransaction)
    throws
  {
    try writer.execute(
      """
      DELETE FROM mail_queue
      WHERE recipient_hash = ? AND created_at <= ? AND (never_given_up = 0 OR sent_at IS NOT NULL)
      """, recipientHash, moment)
  }

  static func removeEnded(before moment: Instant, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      DELETE FROM mail_queue
      WHERE (sent_at IS NOT NULL OR failed_at IS NOT NULL) AND coalesce(sent_at, failed_at) < ?
      """, moment)
  }

  // MARK: Keys

  static func sealed(
    in writer: WriteTransaction
  ) throws -> [(id: ID<QueuedMail>, recipient: [UInt8], content: [UInt8])] {
    try writer.rows("SELECT id, recipient_sealed, content_sealed FROM mail_queue") {
      (try $0.id(0), $0.bytes(1), $0.bytes(2))
    }
  }

  static func reencrypt(
    _ id: ID<QueuedMail>, recipient: [UInt8], recipientHash: [UInt8], content: [UInt8],
    in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      UPDATE mail_queue SET recipient_sealed = ?, recipient_hash = ?, content_sealed = ?
      WHERE id = ?
      """, recipient, recipientHash, content, id)
  }
}
