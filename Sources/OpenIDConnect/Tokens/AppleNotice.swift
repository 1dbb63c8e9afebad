import Core
import Foundation

/// A checked notice from Apple about an account ("Processing changes for Sign in with Apple
/// accounts", developer.apple.com).
public struct AppleNotice: Sendable, Equatable {
  public enum Event: Sendable, Equatable {
    /// Apple forwards mails to this address again.
    case emailEnabled(address: String)
    /// Apple forwards mails to this address no longer.
    case emailDisabled(address: String)
    /// The person stopped using the Apple account with this site.
    case consentRevoked
    /// The person deleted the Apple account.
    case accountDeleted
    /// An event that this module does not know.
    case other
  }

  public let event: Event
  public let subject: String
  /// The notice's identifier. A caller may refuse one that it has seen before.
  public let identifier: String
  public let occurredAt: Instant?

  /// How long ago the notice may have been issued, in s: Apple sends it again if it was not
  /// accepted.
  static let maximumAge: Int64 = .days(1)
  static let types: Set = ["jwt"]

  /// The body of the request, which holds the token.
  private struct Body: Decodable {
    let payload: String
  }

  /// The token in the body of a request: a JSON object with `payload`. Nil for anything else.
  static func token(in body: [UInt8]) -> String? {
    guard body.count <= 2 * ProviderTokenReader.maximumBytes else { return nil }
    return (try? JSONDecoder().decode(Body.self, from: Data(body)))?.payload
  }

  fileprivate struct Fields: Decodable {
    let type: String
    let sub: String
    let email: String?
    let eventTime: TokenClaims.NumericDate?
  }

  struct EventClaims: Decodable {
    fileprivate let fields: Fields?

    private enum CodingKeys: CodingKey { case events }

    /// Reads the claim `events`, which is an object, or one written as a text.
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      guard let text = try? container.decode(String.self, forKey: .events) else {
        fields = try container.decodeIfPresent(Fields.self, forKey: .events)
        return
      }
      let inner = JSONDecoder()
      inner.keyDecodingStrategy = .convertFromSnakeCase
      fields = try inner.decode(Fields.self, from: Data(text.utf8))
    }
  }

  /// Checks the claims. Apple's notices have no end, so their age is limited instead. Throws
  /// `ProviderTokenError`.
  init(
    _ claims: TokenClaims, _ events: EventClaims, of provider: OpenIDProvider, now: Instant
  ) throws(ProviderTokenError) {
    try claims.checkParties(of: provider, clientIDs: provider.allClientIDs)
    try claims.checkTimes(maximumAge: Self.maximumAge, requiresExpiry: false, now: now)
    guard let fields = events.fields else { throw .event }
    guard claims.nonce == nil else { throw .nonce }
    guard TokenClaims.isSubject(fields.sub) else { throw .subject }
    guard let identifier = claims.jti, TokenClaims.isSubject(identifier) else {
      throw .identifier
    }
    event = try Self.event(fields)
    subject = fields.sub
    self.identifier = identifier
    occurredAt = fields.eventTime.map { Self.instant($0.seconds) }
  }

  private static func event(_ fields: Fields) throws(ProviderTokenError) -> Event {
    switch fields.type {
    case "email-enabled":
      guard let email = fields.email else { throw .event }
      return .emailEnabled(address: email)
    case "email-disabled":
      guard let email = fields.email else { throw .event }
      return .emailDisabled(address: email)
    case "consent-revoked": return .consentRevoked
    // Apple's documentation has both spellings.
    case "account-delete", "account-deleted": return .accountDeleted
    default: return .other
    }
  }

  /// The time of an event, which Apple gives in s or in ms.
  private static func instant(_ number: Int64) -> Instant {
    Instant(milliseconds: number > 100_000_000_000 ? number : number * 1000)
  }
}
