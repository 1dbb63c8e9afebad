import Core
import SignedTokens
import Web

/// The claims of an access token (docs/api/README.md). Rights are never read from it: each request
/// looks up the user and the sign-in.
struct AccessClaims: RegisteredClaims {
  let iss: String
  let aud: String
  let iat: Int64
  let exp: Int64
  /// The user.
  let sub: String
  let coupleID: String?
  /// `partner_a`, `partner_b` or nil.
  let role: String?
  /// The sign-in; the token is valid only while it lasts.
  let sid: String

  private enum CodingKeys: String, CodingKey {
    case iss, aud, iat, exp, sub, role, sid
    case coupleID = "couple_id"
  }

  var person: ID<Person>? { ID(sub) }
  var family: ID<TokenFamily>? { ID(sid) }
}
