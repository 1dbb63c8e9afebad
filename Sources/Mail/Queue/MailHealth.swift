import Core
import Database

/// What keeps mail from leaving.
public enum MailServerIssue: Sendable, Equatable {
  /// A server takes no mail from us, as was seen then.
  case refusedUs(since: Instant)
  /// Each attempt since then reached no server.
  case unreachable(since: Instant)
  /// A mail that is never given up waits since then, for 3 days at least.
  case waits(since: Instant)
}

/// Whether mail leaves as it should, for who runs the instance
/// (docs/developer/check-in-contacts.md#mail-sending).
public struct MailHealth: Sendable {
  /// The names under which results are counted.
  public static let results = MailResult.names

  /// For how long the server may be away, in s: two tries come after the first one meanwhile.
  static let longestAbsence: Int64 = .minutes(15)

  private let database: Database

  public init(database: Database) {
    self.database = database
  }

  /// Nil while all is well.
  public func trouble(now: Instant) throws -> MailServerIssue? {
    let (refused, absent, waiting) = try database.read { reader in
      (
        // One recipient's server may refuse us while all others take our mail.
        try MailStore.refusedUsSince(in: reader) ?? MailServerHealth.refusedUsAt(in: reader),
        try MailServerHealth.unreachableSince(in: reader),
        try MailStore.neverGivenUpSince(in: reader)
      )
    }
    if let refused { return .refusedUs(since: refused) }
    if let absent, now.seconds(since: absent) >= Self.longestAbsence {
      return .unreachable(since: absent)
    }
    if let waiting, now.seconds(since: waiting) >= RetryPlan.timeout {
      return .waits(since: waiting)
    }
    return nil
  }

  /// How many mails wait.
  public func waiting() throws -> Int {
    try database.read { try MailStore.waiting(in: $0).count }
  }

  /// How many mails wait, counted up to `most`.
  public func waiting(most: Int) throws -> Int {
    try database.read { try MailStore.waiting(most: most, in: $0) }
  }

  /// How often there was such a result since the beginning.
  public func count(of result: String) throws -> Int {
    try database.read { try MailStore.count(of: result, in: $0) }
  }
}
