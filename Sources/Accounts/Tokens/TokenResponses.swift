import Core
import Web

/// A signed-in app's tokens: `tokens` (docs/api/authentication.md).
struct TokenResponse {
  let pair: TokenPair
  let expiresIn: Int
  let profile: UserProfile
}

/// How an access token is sent (RFC 6750).
enum TokenType: String, JSONEnum {
  case bearer = "Bearer"
}

extension TokenResponse: JSONResponse {
  static let jsonName = "Tokens"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("access_token", note: "For `Authorization: Bearer`.", example: "eyJhbGciOi…") {
      $0.pair.access
    },
    JSONField(
      "refresh_token", note: "Returns the next pair of tokens; valid for 30 days.",
      example: "uFk9Yv0n1cQ2bR3sT4uV5wX6yZ7aB8cD9eF0gH1iJ2k"
    ) { $0.pair.refresh },
    JSONField("token_type") { _ in TokenType.bearer },
    JSONField("expires_in", note: "Lifetime of the access token in seconds.", example: 900) {
      $0.expiresIn
    },
    JSONField("user_profile") { $0.profile },
  ]
}

/// A new guest's tokens, with the recovery code for another device.
struct GuestTokenResponse {
  let tokens: TokenResponse
  let code: GuestCode
}

extension GuestTokenResponse: JSONResponse {
  static let jsonName = "GuestTokens"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("access_token", example: "eyJhbGciOi…") { $0.tokens.pair.access },
    JSONField("refresh_token", example: "uFk9Yv0n1cQ2bR3sT4uV5wX6yZ7aB8cD9eF0gH1iJ2k") {
      $0.tokens.pair.refresh
    },
    JSONField("token_type") { _ in TokenType.bearer },
    JSONField("expires_in", example: 900) { $0.tokens.expiresIn },
    JSONField("user_profile") { $0.tokens.profile },
    JSONField(
      "recovery_code", note: "Signs the guest in on another device. Returned only once.",
      example: "ABCD-EFGH-JKLM-NPQR"
    ) { $0.code.text },
  ]
}
