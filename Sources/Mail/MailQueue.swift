import Basics
import Database
import Foundation
import Jobs
import Secrets

/// The kind of the identifier of a queued mail; the Message-ID is made of it, so that a second
/// delivery after a crash is recognised.
public enum QueuedMail {}

/// Mail on its way: written in the transaction that causes it, delivered by the worker, encrypted
/// while it is here, purged 7 days after (accounts.md, "Data"; checkin.md, "Mail sending").
public struct MailQueue: Sendable {
  /// The kind of the jobs that deliver.
  public static let jobKind = "mail"
  /// How long a mail is kept once it went out or failed for good, in s.
  static let keptFor: Int64 = .days(7)

  let database: Database
  let keys: KeyRing
  private let sender: any MailSender
  private let fromName: String
  private let from: MailAddress

  public init(
    database: Database, keys: KeyRing, sender: any MailSender, fromName: String, from: MailAddress
  ) {
    self.database = database
    self.keys = keys
    self.sender = sender
    self.fromName = fromName
    self.from = from
  }

  /// Queues a mail; answers its identifier.
  @discardableResult
  public func add(
    _ content: MailContent, to address: String, now: Instant, in writer: Writer
  ) throws -> ID<QueuedMail> {
    let id = ID<QueuedMail>(now: now)
    let body = try JSONEncoder().encode(content)
    try writer.execute(
      """
      INSERT INTO mail_queue (id, recipient_sealed, recipient_hash, content_sealed, created_at)
      VALUES (?, ?, ?, ?, ?)
      """, id, try keys.seal(Array(address.utf8), for: Self.context(id, "recipient")),
      keys.lookupHash(address), try keys.seal(Array(body), for: Self.context(id, "content")), now)
    try JobStore.add(
      Self.jobKind, payload: id.description, uniqueKey: "mail:\(id)", runAt: now, now: now,
      in: writer)
    return id
  }

  /// Removes all mail to an address that was queued up to a moment, sent or not: its job then
  /// finds nothing to do.
  public func forget(_ address: String, until moment: Instant, in writer: Writer) throws {
    for hash in keys.lookupHashes(address) {
      try writer.execute(
        "DELETE FROM mail_queue WHERE recipient_hash = ? AND created_at <= ?", hash, moment)
    }
  }

  /// What the worker does for one queued mail.
  public func deliver(_ job: Job, now: Instant) throws -> JobOutcome {
    guard let id = ID<QueuedMail>(job.payload), let mail = try load(id) else { return .done }
    do {
      let message = try message(mail, id: id)
      try sender.send(
        message.rendered(), from: from.description, to: mail.recipient,
        messageID: message.messageID)
    } catch let failure as MailFailure {
      return try failed(id, failure, queuedAt: mail.createdAt, attempts: job.attempts, now: now)
    }
    try database.write {
      try $0.execute(
        """
        UPDATE mail_queue SET sent_at = ?, attempts = attempts + 1, last_error = NULL WHERE id = ?
        """, now, id)
    }
    return .done
  }

  /// Removes what went out, or failed for good, 7 days ago.
  public func purge(now: Instant) throws {
    try database.write {
      try $0.execute(
        """
        DELETE FROM mail_queue
        WHERE (sent_at IS NOT NULL OR failed_at IS NOT NULL) AND coalesce(sent_at, failed_at) < ?
        """, now.adding(seconds: -Self.keptFor))
    }
    try sender.purge(before: now.adding(seconds: -Self.keptFor))
  }

  /// How many mails wait, and since when the oldest does.
  public func waiting() throws -> (count: Int, oldest: Instant?) {
    try database.read { reader in
      let found = try reader.first(
        """
        SELECT count(*), min(created_at) FROM mail_queue
        WHERE sent_at IS NULL AND failed_at IS NULL
        """
      ) { ($0.int(0), $0.optionalInstant(1)) }
      return found ?? (0, nil)
    }
  }

  /// Seconds from one attempt to the next: 1 min, 5 min, 30 min, 2 h, 6 h, then every 12 h up to
  /// 3 days after it was queued; nil to give up (checkin.md, "Mail sending").
  static func delay(afterAttempt attempt: Int, queuedAt: Instant, now: Instant) -> Int64? {
    let plan: [Int64] = [.minutes(1), .minutes(5), .minutes(30), .hours(2), .hours(6)]
    if attempt <= plan.count { return plan[max(0, attempt - 1)] }
    return now.seconds(since: queuedAt) < .days(3) ? .hours(12) : nil
  }

  // MARK: Keys

  /// Seals everything anew with the current key of another ring; answers how many mails.
  public static func reseal(from old: KeyRing, to new: KeyRing, in writer: Writer) throws -> Int {
    let mails = try writer.rows(
      "SELECT id, recipient_sealed, content_sealed FROM mail_queue"
    ) { (try $0.id(0, QueuedMail.self), $0.bytes(1), $0.bytes(2)) }
    for (id, recipient, content) in mails {
      let (to, body) = (context(id, "recipient"), context(id, "content"))
      let address = try old.open(recipient, for: to)
      try writer.execute(
        """
        UPDATE mail_queue SET recipient_sealed = ?, recipient_hash = ?, content_sealed = ?
        WHERE id = ?
        """, try new.seal(address, for: to),
        new.lookupHash(String(decoding: address, as: UTF8.self)),
        try new.seal(try old.open(content, for: body), for: body), id)
    }
    return mails.count
  }

  // MARK: Parts

  private struct Waiting {
    let recipient: String
    let content: MailContent
    let createdAt: Instant
  }

  private func load(_ id: ID<QueuedMail>) throws -> Waiting? {
    let row = try database.read { reader in
      try reader.first(
        """
        SELECT recipient_sealed, content_sealed, created_at FROM mail_queue
        WHERE id = ? AND sent_at IS NULL AND failed_at IS NULL
        """, id
      ) { ($0.bytes(0), $0.bytes(1), $0.instant(2)) }
    }
    guard let (recipient, content, createdAt) = row else { return nil }
    let address = try keys.open(recipient, for: Self.context(id, "recipient"))
    let body = try keys.open(content, for: Self.context(id, "content"))
    return Waiting(
      recipient: String(decoding: address, as: UTF8.self),
      content: try JSONDecoder().decode(MailContent.self, from: Data(body)), createdAt: createdAt)
  }

  private func message(_ mail: Waiting, id: ID<QueuedMail>) throws -> MailMessage {
    MailMessage(
      fromName: fromName, from: from, to: try MailAddress(mail.recipient),
      subject: mail.content.subject, text: mail.content.text, html: mail.content.html,
      messageID: "\(id)@\(from.domain)", date: mail.createdAt, language: mail.content.language,
      headers: mail.content.headers)
  }

  private func failed(
    _ id: ID<QueuedMail>, _ failure: MailFailure, queuedAt: Instant, attempts: Int, now: Instant
  ) throws -> JobOutcome {
    var delay = Self.delay(afterAttempt: attempts, queuedAt: queuedAt, now: now)
    if case .refusedRecipient = failure { delay = nil }
    try database.write {
      try $0.execute(
        """
        UPDATE mail_queue SET attempts = attempts + 1, last_error = ?, failed_at = ? WHERE id = ?
        """, failure.description, delay == nil ? now : nil, id)
    }
    guard let delay else { return .done }
    return .retry(after: delay, because: failure.description)
  }

  private static func context(_ id: ID<QueuedMail>, _ column: String) -> SealContext {
    SealContext(table: "mail_queue", row: id, column: column)
  }
}
