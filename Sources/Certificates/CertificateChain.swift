import Core

/// A leaf, the intermediate that signed it, and the root that signed that one.
public struct CertificateChain: Sendable {
  /// Marks that say what Apple made a certificate for, as object identifiers.
  public struct Markers: Sendable {
    let leaf: String
    let intermediate: String

    public init(leaf: String, intermediate: String) {
      self.leaf = leaf
      self.intermediate = intermediate
    }

    /// Of what the App Store signs: its receipts' leaf, and the intermediate of Apple's developer
    /// relations (Apple's "Certificate Authority" pages).
    public static let appStore = Markers(
      leaf: "1.2.840.113635.100.6.11.1", intermediate: "1.2.840.113635.100.6.2.1")
  }

  let leaf: Certificate
  let intermediate: Certificate
  let root: Certificate

  /// Takes a chain that ends at `root`, whose every link is signed by the next and which carries
  /// the markers. Whoever says which root counts has seen to it that it is one (`isSelfSigned`).
  /// Whether it was valid is asked apart, once the moment is known. Throws the first thing that is
  /// wrong (RFC 5280, section 6.1).
  public init(
    _ certificates: [[UInt8]], root: Certificate, markers: Markers
  ) throws(CertificateError) {
    guard certificates.count == 3 else { throw .length }
    leaf = try Certificate(der: certificates[0])
    intermediate = try Certificate(der: certificates[1])
    self.root = root
    guard certificates[2] == root.bytes, intermediate.isSigned(by: root) else {
      throw .wrongRoot
    }
    // The root must allow for the intermediate. An authority signs certificates, never receipts.
    guard root.mostBelow.map({ $0 >= 1 }) ?? true, leaf.isSigned(by: intermediate),
      !leaf.isAuthority, leaf.signsStatements
    else { throw .broken }
    guard leaf.extensions[markers.leaf] != nil,
      intermediate.extensions[markers.intermediate] != nil
    else { throw .missingMarker }
  }

  /// Throws `.notValidThen` unless all three were valid at that moment, the root as well: it ends
  /// like any other, and what it let sign before stays good.
  public func check(at moment: Instant) throws(CertificateError) {
    guard [leaf, intermediate, root].allSatisfy({ $0.isValid(at: moment) }) else {
      throw .notValidThen
    }
  }
}
