import Core
import Database
import Web

/// How many mails people may have sent to one address that asked for none. Addresses with and
/// without an account are counted alike, whoever asks and by whichever form or call; past a limit
/// the answer is the same as ever, and no mail goes out.
public struct RecipientLimits: Sendable {
  /// What such a mail is about.
  public enum Kind: Sendable, CaseIterable {
    /// Registering, also by a guest who is to be a member: one mail and three repetitions.
    case registration
    /// An invitation to be a couple.
    case pairing
    /// The new address of an account.
    case emailChange
    /// The introduction of an emergency contact.
    case introduction

    var limit: RateLimit {
      switch self {
      case .registration: RateLimit("registration-mails", most: 4, window: .hours(1))
      case .pairing: RateLimit("pairing-mails", most: 3, window: .hours(1))
      case .emailChange: RateLimit("email-change-mails", most: 3, window: .hours(1))
      case .introduction: RateLimit("introductions", most: 3, window: .days(1))
      }
    }
  }

  /// Mails of all kinds.
  static let perDay = RateLimit("recipient-mails", most: 10, window: .days(1))

  private let limits: RateLimitStore

  public init(_ limits: RateLimitStore) {
    self.limits = limits
  }

  /// Counts one more mail: nil while it may be sent, else the s until the next one may.
  public func add(
    _ kind: Kind, to address: String, now: Instant, in writer: WriteTransaction
  ) throws -> Int? {
    let mailbox = Self.mailbox(address)
    if let wait = try limits.add(kind.limit, mailbox, now: now, in: writer) { return wait }
    return try limits.add(Self.perDay, mailbox, now: now, in: writer)
  }

  /// An address without what stands behind a plus sign: most servers deliver both into one mailbox.
  static func mailbox(_ address: String) -> String {
    guard let at = address.lastIndex(of: "@"), let plus = address[..<at].firstIndex(of: "+"),
      plus != address.startIndex
    else { return address }
    return String(address[..<plus] + address[at...])
  }
}
