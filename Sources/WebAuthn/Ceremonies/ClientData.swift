import Foundation
import Secrets

/// The browser's description of a ceremony (WebAuthn Level 3, section 5.8.1).
struct ClientData: Decodable {
  /// The maximum length, in bytes. Browsers write a few hundred.
  static let maximumBytes = 8 << 10

  enum Ceremony: String {
    case create = "webauthn.create"
    case get = "webauthn.get"
  }

  private let type: String
  private let challenge: String
  private let origin: String
  private let crossOrigin: Bool?
  private let topOrigin: String?

  /// Decodes client data: JSON in UTF-8, perhaps after a byte order mark. Throws `WebAuthnError`.
  static func read(_ bytes: [UInt8]) throws(WebAuthnError) -> ClientData {
    let json = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    // Without NUL and in UTF-8, no decoder takes it for another encoding.
    guard json.count <= maximumBytes, !json.contains(0),
      String(validating: json, as: UTF8.self) != nil,
      let found = try? JSONDecoder().decode(ClientData.self, from: Data(json))
    else { throw .malformed }
    return found
  }

  /// Checks type, challenge, origin and frames (section 7.1, steps 7 to 11; section 7.2, steps 10 to
  /// 14). No page of this site belongs into a frame of another. Throws `WebAuthnError`.
  func check(
    _ ceremony: Ceremony, challenge expected: [UInt8], of relyingParty: RelyingParty
  ) throws(WebAuthnError) {
    guard type == ceremony.rawValue else { throw .type }
    guard !expected.isEmpty,
      ConstantTime.equal(Array(challenge.utf8), Array(Base64URL.text(expected).utf8))
    else { throw .challenge }
    guard relyingParty.origins.contains(origin) else { throw .origin }
    guard crossOrigin != true, topOrigin == nil else { throw .crossOrigin }
  }
}
