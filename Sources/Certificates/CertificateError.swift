/// The reason why a certificate or a chain is rejected.
public enum CertificateError: Error, Equatable, Sendable {
  /// Not a certificate, or with a part that this module does not support.
  case malformed
  /// The chain is not leaf, intermediate and root.
  case length
  /// The chain ends at another root than the trusted one.
  case wrongRoot
  /// A certificate is not signed by the next, or the next may not sign it.
  case broken
  /// An extension that marks the purpose is missing (Apple's object identifiers).
  case missingMarker
  /// A certificate was not valid at the given time.
  case notValidThen
}
