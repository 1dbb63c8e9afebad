import Foundation
import HTTPClient

/// The request for the claims that a provider does not put into its ID tokens (OpenID Connect Core
/// 1.0, section 5.3).
struct UserInfoRequest {
  let endpoint: String
  let accessToken: String

  var call: HTTPCall {
    HTTPCall(
      "GET", endpoint,
      headers: [("Accept", "application/json"), ("Authorization", "Bearer \(accessToken)")])
  }

  private struct Subject: Decodable {
    let sub: String
  }

  /// Reads the answer about a subject. Throws `OpenIDError` if it is about another one (section
  /// 5.3.2).
  static func profile(
    in answer: HTTPAnswer, of subject: String
  ) throws(OpenIDError) -> ProviderProfile {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    guard answer.status == 200,
      let found = try? decoder.decode(Subject.self, from: Data(answer.body)),
      let profile = try? decoder.decode(ProviderProfile.self, from: Data(answer.body))
    else { throw .unreadable }
    guard found.sub == subject else { throw .token(.subject) }
    return profile
  }
}
