import Core
import Database
import Jobs

/// A mail in the queue, as an operator sees it: without its content, and with masked addresses.
public struct MailSummary: Sendable {
  /// The state of a mail that was not delivered.
  public enum State: String, Sendable, CaseIterable {
    case waiting
    case failed
    case bounced
  }

  public let id: ID<QueuedMail>
  /// "a…@example.com"; nil if the address cannot be decrypted.
  public let recipient: String?
  public let state: State
  public let attempts: Int
  public let createdAt: Instant
  /// When it is tried next; nil once it failed.
  public let nextAt: Instant?
  /// When it failed for good, or came back.
  public let failedAt: Instant?
  /// The error of the last attempt.
  public let lastError: String?
}

extension MailQueue {
  /// The waiting mails, the oldest first, and then the failed ones, the latest first; of each at
  /// most `limit`.
  public func summaries(onlyFailed: Bool, limit: Int) throws -> [MailSummary] {
    try database.read { reader in
      let waiting = onlyFailed ? [] : try MailStore.oldestWaiting(limit, in: reader)
      return try (waiting + MailStore.latestFailed(limit, in: reader)).map { row in
        let recipient = try? MailStore.recipient.open(row.recipient, of: row.id, with: keys)
        return MailSummary(
          id: row.id, recipient: recipient?.withMaskedAddresses,
          state: row.isBounced ? .bounced : row.failedAt != nil ? .failed : .waiting,
          attempts: row.attempts, createdAt: row.createdAt,
          nextAt: row.failedAt == nil
            ? try JobStore.dueAt(uniqueKey: Self.jobKey(row.id), in: reader) : nil,
          failedAt: row.failedAt, lastError: row.lastError?.withMaskedAddresses)
      }
    }
  }
}

extension MailStore {
  /// A mail with its results, its address still encrypted.
  struct Listed {
    let id: ID<QueuedMail>
    let recipient: [UInt8]
    let attempts: Int
    let createdAt: Instant
    let failedAt: Instant?
    let isBounced: Bool
    let lastError: String?
  }

  private static let columns: Query = """
    id, recipient_sealed, attempts, created_at, failed_at, bounced_at IS NOT NULL, last_error
    """

  static func oldestWaiting(_ limit: Int, in reader: ReadTransaction) throws -> [Listed] {
    try reader.rows(
      """
      SELECT \(columns) FROM mail_queue WHERE sent_at IS NULL AND failed_at IS NULL
      ORDER BY created_at LIMIT \(limit)
      """, make: listed)
  }

  static func latestFailed(_ limit: Int, in reader: ReadTransaction) throws -> [Listed] {
    try reader.rows(
      """
      SELECT \(columns) FROM mail_queue
      WHERE (sent_at IS NOT NULL OR failed_at IS NOT NULL) AND failed_at IS NOT NULL
      ORDER BY coalesce(sent_at, failed_at) DESC LIMIT \(limit)
      """, make: listed)
  }

  private static func listed(_ row: inout RowReader) throws -> Listed {
    Listed(
      id: try row.next(), recipient: try row.next(), attempts: try row.next(),
      createdAt: try row.next(), failedAt: try row.next(), isBounced: try row.next(),
      lastError: try row.next())
  }
}
