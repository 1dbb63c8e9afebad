import Core
import Foundation
import Secrets

/// Why a signed statement isn't believed.
public enum X5CSignedJWSError: Error, Equatable, Sendable {
  /// Not three parts of base64, too long, or with a header that can't be read.
  case malformed
  /// Signed in another way than by ES256, or not at all.
  case algorithm
  case certificate(CertificateError)
  /// Its words are not those that were signed.
  case signature
  /// It doesn't say when it was signed.
  case undated
}

/// What a party signed that shows by a chain of certificates who it is: a JWS in its compact form
/// with `x5c` (RFC 7515, sections 3.1 and 4.1.6), as the App Store makes them.
public struct X5CSignedJWS: Sendable {
  /// Bytes of a text at most; Apple's have some thousands.
  public static let mostBytes = 64 << 10

  /// What was signed, once all is well.
  public let payload: [UInt8]
  /// When, as it says itself.
  public let signedAt: Instant

  private struct Header: Decodable {
    let alg: String
    let x5c: [String]?
    // Extensions that would have us do something else (RFC 7515, section 4.1.11): refused.
    let crit: [String]?
    let b64: Bool?
    let zip: String?
  }

  private struct Dated: Decodable {
    let signedDate: Int64
  }

  /// Believes a text whose chain ends at `root`, carries the markers, and was valid at the moment
  /// that the text, whose signature is the leaf's, says it was signed (`signedDate`, in ms).
  public init(
    _ text: String, root: Certificate, markers: CertificateChain.Markers
  ) throws(X5CSignedJWSError) {
    guard text.utf8.count <= Self.mostBytes else { throw .malformed }
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
    guard chain.leaf.key.verifiesES256(signature, of: "\(parts[0]).\(parts[1])") else {
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
