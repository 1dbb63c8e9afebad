import Core
import Database

/// The reason why mail is not being sent.
public enum MailServerIssue: Sendable, Equatable {
  /// A server has rejected mail from this sender since then.
  case refusedUs(since: Instant)
  /// Each attempt since then reached no server.
  case unreachable(since: Instant)
  /// A mail that is never given up has waited since then, for at least 3 days.
  case waits(since: Instant)
}

/// The health of mail sending, for the operator (docs/developer/check-in-contacts.md#mail-sending).
public struct MailHealth: Sendable {
  /// The names under which results are counted.
  public static let results = MailResult.names

  /// How long the server may be unreachable, in s: enough for two retries after the first attempt.
  static let maximumAbsence: Int64 = .minutes(15)

  private let database: Database

  public init(database: Database) {
    self.database = database
  }

  /// Nil while all is well.
  public func currentIssue(now: Instant) throws -> MailServerIssue? {
    let (refused, absent, waiting) = try database.read { reader in
      (
        // One recipient's server may reject this sender while all others accept its mail.
        try MailStore.refusedUsSince(in: reader) ?? MailServerHealth.refusedUsAt(in: reader),
        try MailServerHealth.unreachableSince(in: reader),
        try MailStore.neverGivenUpSince(in: reader)
      )
    }
    if let refused { return .refusedUs(since: refused) }
    if let absent, now.seconds(since: absent) >= Self.maximumAbsence {
      return .unreachable(since: absent)
    }
    if let waiting, now.seconds(since: waiting) >= RetryPlan.timeout {
      return .waits(since: waiting)
    }
    return nil
  }

  /// The number of waiting mails.
  public func waiting() throws -> Int {
    try database.read { try MailStore.waiting(in: $0).count }
  }

  /// The number of waiting mails, counted up to `maximum`.
  public func waiting(maximum: Int) throws -> Int {
    try database.read { try MailStore.waiting(maximum: maximum, in: $0) }
  }

  /// The number of such results since the instance's start.
  public func count(of result: String) throws -> Int {
    try database.read { try MailStore.count(of: result, in: $0) }
  }
}
