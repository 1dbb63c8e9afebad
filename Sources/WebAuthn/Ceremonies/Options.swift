import Foundation
import Secrets

/// A user as authenticators store it (WebAuthn Level 3, section 5.4.3).
public struct CredentialUser: Sendable {
  /// The maximum length of a handle, in bytes.
  public static let maximumHandleBytes = 64

  /// An identifier without personal data: random bytes, at most 64 (section 14.6.1).
  public let handle: [UInt8]
  /// The name by which the user tells accounts apart: a user name or mail address.
  public let name: String
  public let displayName: String

  public init(handle: [UInt8], name: String, displayName: String) {
    self.handle = handle
    self.name = name
    self.displayName = displayName
  }
}

extension RelyingParty {
  /// How long the browser waits for the person, in ms (section 15.1); the challenge should be valid
  /// for as long.
  public static let timeout = 300_000

  private struct Credential: Encodable {
    let id: String
    let type = "public-key"
    let transports: [String]?

    init(_ record: CredentialRecord) {
      id = Base64URL.text(record.id)
      transports = record.transports.isEmpty ? nil : record.transports
    }
  }

  private struct CreationOptions: Encodable {
    struct Party: Encodable {
      let id: String
      let name: String
    }
    struct User: Encodable {
      let id: String
      let name: String
      let displayName: String
    }
    struct Parameters: Encodable {
      let type = "public-key"
      let alg: Int
    }
    struct Selection: Encodable {
      let residentKey = "required"
      let requireResidentKey = true
      let userVerification: String
    }
    let rp: Party
    let user: User
    let challenge: String
    let pubKeyCredParams: [Parameters]
    let timeout: Int
    let excludeCredentials: [Credential]
    let authenticatorSelection: Selection
    let attestation = "none"
  }

  private struct RequestOptions: Encodable {
    let challenge: String
    let timeout: Int
    let rpId: String
    let allowCredentials: [Credential]
    let userVerification: String
  }

  private var verification: String { requiresUserVerification ? "required" : "preferred" }

  /// The options for `navigator.credentials.create()` in JSON
  /// (`PublicKeyCredentialCreationOptionsJSON`, section 5.1.8): a discoverable credential without
  /// attestation. `known` are the credentials that the user has, so that an authenticator does not
  /// get a second one.
  public func creationOptions(
    challenge: [UInt8], user: CredentialUser, excluding known: [CredentialRecord] = []
  ) throws -> [UInt8] {
    try Self.encode(
      CreationOptions(
        rp: .init(id: id, name: name),
        user: .init(
          id: Base64URL.text(user.handle), name: user.name, displayName: user.displayName),
        challenge: Base64URL.text(challenge),
        // In order of preference.
        pubKeyCredParams: [.es256, .eddsa, .rs256].map { (algorithm: CredentialAlgorithm) in
          .init(alg: algorithm.rawValue)
        },
        timeout: Self.timeout, excludeCredentials: known.map(Credential.init),
        authenticatorSelection: .init(userVerification: verification)))
  }

  /// The options for `navigator.credentials.get()` in JSON (`PublicKeyCredentialRequestOptionsJSON`,
  /// section 5.1.9). Without `allowed` the user chooses among the discoverable credentials of this
  /// site, also by autofill.
  public func requestOptions(
    challenge: [UInt8], allowing allowed: [CredentialRecord] = []
  ) throws -> [UInt8] {
    try Self.encode(
      RequestOptions(
        challenge: Base64URL.text(challenge), timeout: Self.timeout, rpId: id,
        allowCredentials: allowed.map(Credential.init), userVerification: verification))
  }

  private static func encode(_ options: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(options))
  }
}
