import Basics
import Database

/// Whether mail leaves as it should, for who runs the instance (checkin.md, "Mail sending").
public struct MailHealth: Sendable {
  /// The names under which results are counted.
  public static let results = MailResult.names

  private let database: Database

  public init(database: Database) {
    self.database = database
  }

  /// A sentence for the operator while a server takes no mail from us, or a mail that is never
  /// given up has waited for 3 days; nil while all is well. It names nobody, since anybody may read
  /// it, and so never repeats what the server said.
  public func problem(now: Instant) throws -> String? {
    let (refused, waiting) = try database.read {
      (try MailStore.refusedUsSince(in: $0), try MailStore.neverGivenUpSince(in: $0))
    }
    if let refused {
      return "the mail server takes no mail from us, as seen at \(refused.rfc3339): "
        + "`pairspot mail test ADDRESS` says more"
    }
    if let waiting, now.seconds(since: waiting) >= RetryPlan.patience {
      return "a mail that matters has not gone out since \(waiting.rfc3339)"
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
