import Core
import Foundation

/// The claims of a provider's tokens that are checked (OpenID Connect Core 1.0, section 2).
struct TokenClaims: Decodable {
  let iss: String
  let sub: String?
  let aud: Audience
  let azp: String?
  let exp: NumericDate?
  let iat: NumericDate?
  let nbf: NumericDate?
  let nonce: String?
  let atHash: String?
  let cHash: String?
  let authTime: NumericDate?
  let sid: String?
  let jti: String?

  /// How far the provider's clock may be ahead, in s.
  static let drift: Int64 = 30
  /// The maximum length of a subject, in ASCII characters (section 2, `sub`).
  static let maximumSubjectLength = 255

  /// One audience or a list of them (RFC 7519, section 4.1.3).
  struct Audience: Decodable {
    let values: [String]

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let value = try? container.decode(String.self) {
        values = [value]
      } else {
        values = try container.decode([String].self)
      }
    }
  }

  /// Seconds since 1970, which may have a fraction (RFC 7519, section 2).
  struct NumericDate: Decodable {
    /// Far in the future, also in milliseconds, and far from overflows.
    private static let limit = 1e14

    let seconds: Int64

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      let number = try container.decode(Double.self)
      guard abs(number) < Self.limit, let seconds = Int64(exactly: number.rounded(.down)) else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "out of range")
      }
      self.seconds = seconds
    }
  }

  /// Checks issuer, audience and authorized party (section 3.1.3.7, steps 2 to 5). `clientIDs` are
  /// the accepted audiences.
  func checkParties(
    of provider: OpenIDProvider, clientIDs: [String]
  ) throws(ProviderTokenError) {
    guard provider.isIssuer(iss) else { throw .issuer }
    // Other audiences are not trusted, unless they are of the same operator.
    guard aud.values.contains(where: clientIDs.contains),
      aud.values.allSatisfy(provider.allClientIDs.contains)
    else { throw .audience }
    guard azp != nil || aud.values.count == 1 else { throw .authorizedParty }
    if let azp, !provider.allClientIDs.contains(azp) { throw .authorizedParty }
  }

  /// Checks the times (section 3.1.3.7, steps 9 and 10): expired or not, and issued within the last
  /// `maximumAge` s.
  func checkTimes(
    maximumAge: Int64, requiresExpiry: Bool = true, now: Instant
  ) throws(ProviderTokenError) {
    let seconds = now.milliseconds / 1000
    if let exp {
      guard exp.seconds > seconds else { throw .expired }
    } else if requiresExpiry {
      throw .expired
    }
    guard let iat, iat.seconds <= seconds + Self.drift else { throw .notYetValid }
    if let nbf, nbf.seconds > seconds + Self.drift { throw .notYetValid }
    guard iat.seconds >= seconds - maximumAge else { throw .tooOld }
  }

  /// The subject, if there is a usable one.
  var subject: String? {
    guard let sub, Self.isSubject(sub) else { return nil }
    return sub
  }

  static func isSubject(_ text: String) -> Bool {
    1...maximumSubjectLength ~= text.utf8.count && text.utf8.allSatisfy { 0x20...0x7E ~= $0 }
  }
}

/// A boolean that Apple writes as a text ("true").
struct LenientFlag: Decodable {
  let isSet: Bool

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let flag = try? container.decode(Bool.self) {
      isSet = flag
      return
    }
    switch try container.decode(String.self) {
    case "true": isSet = true
    case "false": isSet = false
    default:
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a boolean")
    }
  }
}
