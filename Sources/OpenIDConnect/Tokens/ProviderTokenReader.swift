import Core
import Foundation
import SignedTokens

/// Verifies the signatures of a provider's tokens and decodes their claims.
struct ProviderTokenReader {
  /// The maximum length of a token, in bytes.
  static let maximumBytes = 16 << 10

  let metadata: ProviderMetadata

  /// The claims of a token that the provider signed (OpenID Connect Core 1.0, section 3.1.3.7, steps
  /// 1 and 6 to 8). `types` are the accepted values of `typ`, which may always be absent. Throws
  /// `OpenIDError`.
  func claims<each Claims: Decodable>(
    _ text: String, types: Set<String>, now: Instant, as: repeat (each Claims).Type
  ) throws -> (repeat each Claims) {
    // An encrypted token has five parts, and is malformed here.
    guard let token = CompactJWS(text, maximumBytes: Self.maximumBytes) else {
      throw OpenIDError.token(.malformed)
    }
    if let type = token.header.typ, !types.contains(type.lowercased()) {
      throw OpenIDError.token(.type)
    }
    guard let algorithm = SigningAlgorithm(rawValue: token.header.alg),
      try metadata.document(now: now).algorithms.contains(algorithm)
    else { throw OpenIDError.token(.algorithm) }
    guard let key = try metadata.key(token.header.kid, algorithm, now: now) else {
      throw OpenIDError.token(.unknownKey)
    }
    guard key.verifies(token.signature, of: token.signedBytes) else {
      throw OpenIDError.token(.signature)
    }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let payload = Data(token.payload)
    do {
      return (repeat try decoder.decode((each Claims).self, from: payload))
    } catch {
      throw OpenIDError.token(.malformed)
    }
  }
}
