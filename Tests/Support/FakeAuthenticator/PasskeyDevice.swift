import Crypto
import Foundation
import Secrets

@testable import WebAuthn

/// A browser with an authenticator that has one passkey of a site. Answers options in JSON.
public struct PasskeyDevice {
  /// The origin of the page that asks.
  public var origin = "http://127.0.0.1:8099"
  /// UP, UV, BE and BS.
  public var flags: UInt8 = 0x1D
  public var signCount: UInt32 = 0
  public let id: [UInt8]
  private let key = P256.Signing.PrivateKey()
  private var userHandle: [UInt8]?

  public init() {
    id = Token.random().bytes
  }

  /// The answer of `navigator.credentials.create()`.
  public mutating func make(_ options: String) throws -> String {
    let options = try fields(options)
    let user = options["user"] as? [String: Any]
    userHandle = (user?["id"] as? String).flatMap { Base64URL.bytes($0) }
    var answer = FakeAuthenticator(.es256(key), "webauthn.create")
    prepare(&answer, options, rp: (options["rp"] as? [String: Any])?["id"])
    answer.flags |= 0x40
    let made = answer.registration
    return try json([
      "clientDataJSON": made.clientData, "attestationObject": made.attestationObject,
    ])
  }

  /// The answer of `navigator.credentials.get()`.
  public func use(_ options: String) throws -> String {
    let options = try fields(options)
    var answer = FakeAuthenticator(.es256(key), "webauthn.get")
    prepare(&answer, options, rp: options["rpId"])
    let used = try answer.authentication()
    return try json([
      "clientDataJSON": used.clientData, "authenticatorData": used.authenticatorData,
      "signature": used.signature, "userHandle": used.userHandle ?? [],
    ])
  }

  private func prepare(_ answer: inout FakeAuthenticator, _ options: [String: Any], rp: Any?) {
    answer.clientData["challenge"] = options["challenge"]
    answer.clientData["origin"] = origin
    answer.relyingPartyID = rp as? String ?? ""
    answer.flags = flags
    answer.signCount = signCount
    answer.id = id
    answer.sentID = id
    answer.userHandle = userHandle
  }

  private func fields(_ options: String) throws -> [String: Any] {
    try JSONSerialization.jsonObject(with: Data(options.utf8)) as? [String: Any] ?? [:]
  }

  private func json(_ response: [String: [UInt8]]) throws -> String {
    let fields: [String: Any] = [
      "id": Base64URL.text(id), "rawId": Base64URL.text(id), "type": "public-key",
      "response": response.mapValues { Base64URL.text($0) },
    ]
    return String(
      decoding: try JSONSerialization.data(withJSONObject: fields, options: .sortedKeys),
      as: UTF8.self)
  }
}
