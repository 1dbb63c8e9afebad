import Core
import Foundation
import HTTPClient

/// The tokens that a provider gave for a code.
public struct ProviderTokens: Sendable, Equatable {
  public let idToken: String
  public let accessToken: String?
}

/// The exchange of a code for tokens (OpenID Connect Core 1.0, section 3.1.3).
struct TokenRequest {
  private static let maximumTokenBytes = 16 << 10

  let provider: OpenIDProvider
  let document: DiscoveryDocument
  let code: String
  let request: AuthorizationRequest

  /// The call to the token endpoint (RFC 6749, section 4.1.3; RFC 7636, section 4.5).
  func call(now: Instant) throws -> HTTPCall {
    var fields = [
      ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", request.redirectURI),
      ("code_verifier", request.codeVerifier),
    ]
    var headers = [
      ("Accept", "application/json"), ("Content-Type", "application/x-www-form-urlencoded"),
    ]
    let secret = try secret(now: now)
    if let secret, document.usesBasicAuthentication {
      let both = [provider.clientID, secret].map(FormFields.encode).joined(separator: ":")
      headers.append(("Authorization", "Basic \(Data(both.utf8).base64EncodedString())"))
    } else {
      fields.append(("client_id", provider.clientID))
      if let secret { fields.append(("client_secret", secret)) }
    }
    return HTTPCall(
      "POST", document.tokenEndpoint, headers: headers,
      body: Array(FormFields.encode(fields).utf8))
  }

  private func secret(now: Instant) throws -> String? {
    switch provider.credentials {
    case .none: nil
    case .secret(let secret): secret
    case .apple(let key):
      try key.clientSecret(clientID: provider.clientID, issuer: provider.issuer, now: now)
    }
  }

  private struct Success: Decodable {
    let idToken: String
    let accessToken: String?
    let tokenType: String?
  }

  private struct Failure: Decodable {
    let error: String
  }

  /// Reads the answer (OpenID Connect Core 1.0, sections 3.1.3.3 and 3.1.3.4). Throws `OpenIDError`.
  static func tokens(in answer: HTTPAnswer) throws(OpenIDError) -> ProviderTokens {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    guard answer.status == 200 else {
      let failure = try? decoder.decode(Failure.self, from: Data(answer.body))
      if let code = failure.flatMap({ AuthorizationResponse.errorCode($0.error) }) {
        throw .refused(code: code)
      }
      throw .refused(code: String(answer.status))
    }
    guard let success = try? decoder.decode(Success.self, from: Data(answer.body)),
      success.tokenType?.lowercased() == "bearer",
      success.accessToken?.utf8.count ?? 0 <= maximumTokenBytes
    else { throw .unreadable }
    return ProviderTokens(idToken: success.idToken, accessToken: success.accessToken)
  }
}
