import Foundation
import Secrets

/// The JSON of `PublicKeyCredential.toJSON()` (WebAuthn Level 3, section 5.1), with the fields of
/// both ceremonies.
struct ResponseFields: Decodable {
  /// The maximum length, in bytes: an attestation object in base64url and some more.
  static let maximumBytes = 128 << 10

  struct Response: Decodable {
    let clientDataJSON: Bytes
    let attestationObject: Bytes?
    let authenticatorData: Bytes?
    let signature: Bytes?
    let userHandle: Bytes?
    let transports: [String]?
  }

  /// Bytes in base64url.
  struct Bytes: Decodable {
    let values: [UInt8]

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      guard let values = Base64URL.bytes(try container.decode(String.self)) else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "not base64url")
      }
      self.values = values
    }
  }

  let id: Bytes
  let rawId: Bytes
  let type: String
  let response: Response

  /// Decodes a response. Throws `WebAuthnError`.
  static func read(_ json: [UInt8]) throws(WebAuthnError) -> ResponseFields {
    guard json.count <= maximumBytes,
      let fields = try? JSONDecoder().decode(ResponseFields.self, from: Data(json)),
      fields.type == "public-key", fields.id.values == fields.rawId.values
    else { throw .malformed }
    return fields
  }
}
