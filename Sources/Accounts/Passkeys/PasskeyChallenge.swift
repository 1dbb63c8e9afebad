import Core
import Foundation
import Secrets
import Web
import WebAuthn

/// The challenge of a ceremony. The browser carries it in a sealed cookie, which binds the answer to
/// the browser, the purpose and the signed-in member.
struct PasskeyChallenge: Codable {
  enum Purpose: Codable, Equatable {
    case signIn
    /// Adds a passkey to the signed-in member.
    case add
    /// Confirms that the signed-in member is there.
    case confirm(ProtectedAction)
    /// Makes a passkey for a new account, with the token of the mailed link.
    case register(link: String)
  }

  /// Seconds (WebAuthn Level 3, section 15.1).
  static let lifetime = Int64(RelyingParty.timeout / 1000)

  private static let cookie = SealedCookie(name: "passkey", lifetime: lifetime)

  private let purpose: Purpose
  private let person: String?
  /// In base64url.
  private let challenge: String
  private let handle: String

  var bytes: [UInt8] { Base64URL.bytes(challenge) ?? [] }
  var hash: [UInt8] { Digests.sha256(bytes) }
  /// The member's handle, for a new passkey.
  var userHandle: [UInt8] { Base64URL.bytes(handle) ?? [] }

  /// Makes a challenge and gives it to the browser, in place of an earlier one.
  static func begin(
    _ purpose: Purpose, userHandle: [UInt8] = [], _ context: Context
  ) throws -> PasskeyChallenge {
    let made = PasskeyChallenge(
      purpose: purpose, person: context.viewer?.id.description, challenge: Token.random().text,
      handle: Base64URL.text(userHandle))
    try cookie.set(String(decoding: JSONEncoder().encode(made), as: UTF8.self), context)
    return made
  }

  /// The challenge that this browser has for a purpose.
  static func find(_ purpose: Purpose, _ context: Context) -> PasskeyChallenge? {
    guard let text = cookie.read(context),
      let found = try? JSONDecoder().decode(PasskeyChallenge.self, from: Data(text.utf8)),
      found.purpose == purpose, found.person == context.viewer?.id.description
    else { return nil }
    return found
  }

  static func clear(_ context: Context) { cookie.clear(context) }
}
