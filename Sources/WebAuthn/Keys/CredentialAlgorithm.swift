/// The signature algorithms that are accepted (WebAuthn Level 3, section 5.8.5), by their numbers in
/// the registry of COSE algorithms.
public enum CredentialAlgorithm: Int, Sendable, CaseIterable {
  /// ECDSA on P-256 with SHA-256.
  case es256 = -7
  /// Ed25519.
  case eddsa = -8
  /// RSASSA-PKCS1-v1_5 with SHA-256.
  case rs256 = -257
}
