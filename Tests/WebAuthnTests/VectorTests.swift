import Foundation
import Testing

@testable import WebAuthn

/// The test vectors of WebAuthn Level 3 (section 16) with ES256, ES384, RS256 and EdDSA, in
/// `vectors.json`.
@Suite("WebAuthn: test vectors of the specification")
struct VectorTests {
  private struct Vector: Decodable {
    let name: String
    let registration: [String: String]
    let authentication: [String: String]

    func bytes(_ fields: [String: String], _ name: String) throws -> [UInt8] {
      let digits = Array(try #require(fields[name]).utf8)
      return try stride(from: 0, to: digits.count, by: 2).map {
        try #require(UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16))
      }
    }
  }

  private let vectors: [Vector]

  init() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "vectors.json")
    vectors = try JSONDecoder().decode([Vector].self, from: Data(contentsOf: file))
  }

  private let site = RelyingParty(
    id: "example.org", name: "Example", origins: ["https://example.org"],
    requiresUserVerification: false)

  @Test("All are accepted, except those in frames and those of other algorithms")
  func all() throws {
    #expect(vectors.count == 13)
    for vector in vectors {
      let registration = vector.registration
      let response = RegistrationResponse(
        credentialID: try vector.bytes(registration, "credential_id"),
        clientData: try vector.bytes(registration, "clientDataJSON"),
        attestationObject: try vector.bytes(registration, "attestationObject"), transports: [])
      let challenge = try vector.bytes(registration, "challenge")
      let expected: WebAuthnError? =
        vector.name.contains("Origin")
        ? .crossOrigin : vector.name.hasPrefix("ES384") ? .algorithm : nil
      #expect(
        failure { try site.register(response, challenge: challenge) } == expected,
        "\(vector.name)")
      guard expected == nil else { continue }
      let record = try site.register(response, challenge: challenge)
      #expect(try authenticate(vector, record).signCount == 0, "\(vector.name)")
      let other = CredentialRecord(
        id: record.id, publicKey: try key(of: "RS256, packed attestation"), signCount: 0,
        isBackupEligible: record.isBackupEligible, isBackedUp: false)
      let error = failure { try authenticate(vector, other) }
      #expect(error == (vector.name.hasPrefix("RS256") ? nil : .signature), "\(vector.name)")
    }
  }

  private func authenticate(
    _ vector: Vector, _ record: CredentialRecord
  ) throws -> Authentication {
    let answer = vector.authentication
    return try site.authenticate(
      AuthenticationResponse(
        credentialID: record.id, userHandle: nil,
        clientData: try vector.bytes(answer, "clientDataJSON"),
        authenticatorData: try vector.bytes(answer, "authenticatorData"),
        signature: try vector.bytes(answer, "signature")),
      challenge: try vector.bytes(answer, "challenge"), credential: record, userHandle: [1],
      isUserKnown: true)
  }

  private func key(of name: String) throws -> CredentialPublicKey {
    let vector = try #require(vectors.first { $0.name == name })
    let object = try CBORReader.read(
      try vector.bytes(vector.registration, "attestationObject")[...])
    guard case .bytes(let data) = object["authData"] else { throw WebAuthnError.malformed }
    return try #require(try AuthenticatorData(data).credential).publicKey
  }
}
