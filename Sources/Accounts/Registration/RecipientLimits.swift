import Core
import Database
import Web

/// Limits unsolicited mails to one address. Addresses with and without an account are counted
/// alike, for all users, forms and API calls together. Past a limit the response is unchanged and
/// no mail is sent.
public struct RecipientLimits: Sendable {
  /// The purpose of such a mail.
  public enum Kind: Sendable, CaseIterable {
    /// Registration, including that of a guest as a member: one mail and three repetitions.
    case registration
    /// An invitation to pair.
    case pairing
    /// The new address of an account.
    case emailChange
    /// The introduction of an emergency contact.
    case introduction

    var limit: RateLimit {
      switch self {
      case .registration: RateLimit("registration-mails", maximum: 4, window: .hours(1))
      case .pairing: RateLimit("pairing-mails", maximum: 3, window: .hours(1))
      case .emailChange: RateLimit("email-change-mails", maximum: 3, window: .hours(1))
      case .introduction: RateLimit("introductions", maximum: 3, window: .days(1))
      }
    }
  }

  /// All kinds together.
  static let perDay = RateLimit("recipient-mails", maximum: 10, window: .days(1))

  private let limits: RateLimitStore

  public init(_ limits: RateLimitStore) {
    self.limits = limits
  }

  /// Counts one mail. Returns nil if it may be sent, otherwise the time until the next one may, in
  /// s.
  public func add(
    _ kind: Kind, to address: String, now: Instant, in writer: WriteTransaction
  ) throws -> Int? {
    let mailbox = Self.mailbox(address)
    if let wait = try limits.add(kind.limit, mailbox, now: now, in: writer) { return wait }
    return try limits.add(Self.perDay, mailbox, now: now, in: writer)
  }

  /// An address without its part after a plus sign: most servers deliver both to the same mailbox.
  static func mailbox(_ address: String) -> String {
    guard let at = address.lastIndex(of: "@"), let plus = address[..<at].firstIndex(of: "+"),
      plus != address.startIndex
    else { return address }
    return String(address[..<plus] + address[at...])
  }
}
