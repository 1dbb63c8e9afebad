import Ccrypto

/// Verification of a path by libcrypto (RFC 5280, section 6.1).
enum CertificateVerification {
  /// 128 bits: elliptic curves of 256 bits and SHA-256 at least.
  private static let securityLevel: Int32 = 3

  /// Accepts a leaf that `intermediate` signed, which `root` signed. Says nothing about times.
  /// Throws `.wrongRoot` if the intermediate is not signed by the root, else `.broken`.
  static func verify(
    _ leaf: Certificate, _ intermediate: Certificate, root: Certificate
  ) throws(CertificateError) {
    try leaf.x509.use { (leaf) throws(CertificateError) in
      try intermediate.x509.use { (intermediate) throws(CertificateError) in
        try root.x509.use { (root) throws(CertificateError) in
          try verify(leaf, intermediate, root: root)
        }
      }
    }
  }

  private static func verify(
    _ leaf: OpaquePointer, _ intermediate: OpaquePointer, root: OpaquePointer
  ) throws(CertificateError) {
    guard let store = X509_STORE_new() else { throw .broken }
    defer { X509_STORE_free(store) }
    // Only the list is freed, not what is in it.
    guard let others = OPENSSL_sk_new_null() else { throw .broken }
    defer { OPENSSL_sk_free(others) }
    guard let context = X509_STORE_CTX_new() else { throw .broken }
    defer { X509_STORE_CTX_free(context) }
    guard X509_STORE_add_cert(store, root) == 1,
      OPENSSL_sk_push(others, UnsafeRawPointer(intermediate)) == 1,
      X509_STORE_CTX_init(context, store, leaf, others) == 1,
      let parameters = X509_STORE_CTX_get0_param(context)
    else { throw .broken }
    // Times are checked by `CertificateChain.check(at:)`: libcrypto's end of validity is exclusive.
    X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_NO_CHECK_TIME))
    X509_VERIFY_PARAM_set_auth_level(parameters, securityLevel)
    X509_VERIFY_PARAM_set_depth(parameters, 1)
    guard X509_verify_cert(context) == 1 else {
      let isAboveLeaf = X509_STORE_CTX_get_error_depth(context) > 0
      switch X509_STORE_CTX_get_error(context) {
      case X509_V_ERR_INVALID_CA, X509_V_ERR_PATH_LENGTH_EXCEEDED: throw .broken
      default: throw isAboveLeaf ? .wrongRoot : .broken
      }
    }
    // Through the intermediate, whose marker counts.
    guard OPENSSL_sk_num(X509_STORE_CTX_get0_chain(context)) == 3 else { throw .broken }
  }
}
