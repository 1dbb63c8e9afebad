import Core

/// A leaf, the intermediate that signed it, and the root that signed the intermediate.
public struct CertificateChain: Sendable {
  /// Apple's extensions that mark the purpose of a certificate, as object identifiers.
  public struct Markers: Sendable {
    let leaf: String
    let intermediate: String

    public init(leaf: String, intermediate: String) {
      self.leaf = leaf
      self.intermediate = intermediate
    }

    /// The markers of App Store signatures: the leaf for receipts, and the intermediate of Apple's
    /// Worldwide Developer Relations (Apple's "Certificate Authority" pages).
    public static let appStore = Markers(
      leaf: "1.2.840.113635.100.6.11.1", intermediate: "1.2.840.113635.100.6.2.1")
  }

  let leaf: Certificate
  let intermediate: Certificate
  let root: Certificate

  /// Accepts a chain that ends at `root`, whose certificates are each signed by the next and which
  /// has the markers. The caller must have checked that `root` is one (`isSelfSigned`). Validity is
  /// checked separately by `check(at:)`, once the time is known. Throws the first error (RFC 5280,
  /// section 6.1).
  public init(
    _ certificates: [[UInt8]], root: Certificate, markers: Markers
  ) throws(CertificateError) {
    guard certificates.count == 3 else { throw .length }
    leaf = try Certificate(der: certificates[0])
    intermediate = try Certificate(der: certificates[1])
    self.root = root
    guard certificates[2] == root.bytes else { throw .wrongRoot }
    try CertificateVerification.verify(leaf, intermediate, root: root)
    // The root must allow an intermediate, even one of its own name. An authority signs
    // certificates, never receipts.
    guard root.isAuthority, root.pathLengthConstraint.map({ $0 >= 1 }) ?? true,
      intermediate.isAuthority,
      !leaf.isAuthority, leaf.signsStatements
    else { throw .broken }
    guard leaf.hasExtension(markers.leaf), intermediate.hasExtension(markers.intermediate) else {
      throw .missingMarker
    }
  }

  /// Throws `.notValidThen` unless all three were valid at that time, including the root.
  /// Signatures from before the end of a root stay valid.
  public func check(at moment: Instant) throws(CertificateError) {
    guard [leaf, intermediate, root].allSatisfy({ $0.isValid(at: moment) }) else {
      throw .notValidThen
    }
  }
}
