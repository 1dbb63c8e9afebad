import Core
import Foundation
import Secrets

/// The reason why a signed statement is rejected.
public enum X5CSignedJWSError: Error, Equatable, Sendable {
  /// Not three parts of base64, too long, or with an unreadable header.
  case malformed
  /// Not signed with ES256.
  case algorithm
  case certificate(CertificateError)
  /// The signature does not match.
  case signature
  /// The signing date is missing.
  case undated
}

/// A signed statement with the signer's certificates: a JWS in compact form with `x5c` (RFC 7515,
/// sections 3.1 and 4.1.6), as the App Store makes them.
public struct X5CSignedJWS: Sendable {
  /// The maximum length in bytes; Apple's have a few thousand.
  public static let maximumBytes = 64 << 10

  /// The verified payload.
  public let payload: [UInt8]
  /// The signing time according to the payload.
  public let signedAt: Instant

  private struct Header: Decodable {
    let alg: String
    let x5c: [String]?
    // Header fields that change the processing (RFC 7515, section 4.1.11); statements with them are
    // rejected.
    let crit: [String]?
    let b64: Bool?
    let zip: String?
  }

  private struct Dated: Decodable {
    let signedDate: Int64
  }

  /// Verifies a text. Its chain must end at `root`, have the markers, and have been valid at the
  /// signing time (`signedDate`, in ms), which is part of the text that the leaf signed.
  public init(
    _ text: String, root: Certificate, markers: CertificateChain.Markers
  ) throws(X5CSignedJWSError) {
    guard text.utf8.count <= Self.maximumBytes else { throw .malformed }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let headerBytes = Base64URL.bytes(parts[0]),
      let payload = Base64URL.bytes(parts[1]), let signature = Base64URL.bytes(parts[2]),
      let header = try? JSONDecoder().decode(Header.self, from: Data(headerBytes))
    else { throw .malformed }
    guard header.alg == "ES256" else { throw .algorithm }
    guard header.crit == nil, header.b64 == nil, header.zip == nil, let texts = header.x5c else {
      throw .malformed
    }
    let chain: CertificateChain
    do throws(CertificateError) {
      chain = try CertificateChain(try Self.bytes(texts), root: root, markers: markers)
    } catch {
      throw .certificate(error)
    }
    guard chain.leaf.verifiesES256(signature, of: "\(parts[0]).\(parts[1])") else {
      throw .signature
    }
    guard let dated = try? JSONDecoder().decode(Dated.self, from: Data(payload)) else {
      throw .undated
    }
    signedAt = Instant(milliseconds: dated.signedDate)
    do throws(CertificateError) {
      try chain.check(at: signedAt)
    } catch {
      throw .certificate(error)
    }
    self.payload = payload
  }

  private static func bytes(_ texts: [String]) throws(CertificateError) -> [[UInt8]] {
    guard texts.count <= 3 else { throw .length }
    var found: [[UInt8]] = []
    for text in texts {
      guard let bytes = Data(base64Encoded: text) else { throw .malformed }
      found.append(Array(bytes))
    }
    return found
  }
}
