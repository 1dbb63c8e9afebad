import Ccrypto
import Core
import Crypto
import Foundation

/// An X.509 certificate (RFC 5280, section 4.1), parsed by libcrypto.
public struct Certificate: Sendable {
  /// The critical extensions that are accepted, because they are checked or need no check. The
  /// extended key usage is not among them: if it is critical, the certificate is for other
  /// purposes.
  private static let knownCritical: Set = [
    NID_key_usage, NID_basic_constraints, NID_certificate_policies,
  ]
  private static let mostExtensions = 64
  /// The algorithms of signatures (RFC 5758, section 3.2).
  private static let algorithms: Set = [NID_ecdsa_with_SHA256, NID_ecdsa_with_SHA384]

  /// The certificate in DER.
  public let bytes: [UInt8]
  public let notBefore: Instant
  public let notAfter: Instant
  /// Whether it may sign other certificates.
  let isAuthority: Bool
  /// The maximum number of authorities between it and a leaf; nil for no limit.
  let pathLengthConstraint: Int?
  /// Whether its key may sign data other than certificates.
  let signsStatements: Bool
  let x509: X509Object
  /// The public key, in DER (RFC 5280, section 4.1.2.7).
  private let key: [UInt8]

  /// Parses DER. Throws `.malformed` for anything but a certificate of version 3 with a key on
  /// P-256 or P-384, signed with ECDSA and SHA-256 or SHA-384, without unknown critical extensions.
  public init(der bytes: [UInt8]) throws(CertificateError) {
    let x509 = try X509Object(der: bytes)
    self.bytes = bytes
    self.x509 = x509
    (notBefore, notAfter, isAuthority, pathLengthConstraint, signsStatements, key) =
      try x509.use { (pointer) throws(CertificateError) in
        try Self.checkExtensions(pointer)
        let flags = X509_get_extension_flags(pointer)
        let length = X509_get_pathlen(pointer)
        let key = X509Object.der { i2d_X509_PUBKEY(X509_get_X509_PUBKEY(pointer), $0) }
        guard X509_get_version(pointer) == X509_VERSION_3, flags & UInt32(EXFLAG_INVALID) == 0,
          Self.algorithms.contains(X509_get_signature_nid(pointer)), Self.namesCurve(pointer),
          Self.isKnown(key),
          // A path length is for an authority only.
          length < 0 || flags & UInt32(EXFLAG_CA) != 0
        else { throw .malformed }
        return (
          try Self.moment(X509_get0_notBefore(pointer)),
          try Self.moment(X509_get0_notAfter(pointer)),
          // With basic constraints that say so, and a key usage that does not deny it.
          X509_check_ca(pointer) == 1, length < 0 ? nil : length,
          X509_get_key_usage(pointer) & UInt32(KU_DIGITAL_SIGNATURE) != 0, key
        )
      }
  }

  /// Parses the first certificate of a PEM file; nil if there is none.
  public init?(pem text: String) {
    guard let begin = text.range(of: "-----BEGIN CERTIFICATE-----"),
      let end = text.range(
        of: "-----END CERTIFICATE-----", range: begin.upperBound..<text.endIndex),
      let bytes = Data(
        base64Encoded: String(text[begin.upperBound..<end.lowerBound].filter { !$0.isWhitespace })
      )
    else { return nil }
    try? self.init(der: Array(bytes))
  }

  /// Whether it is an authority signed by itself, as a root is.
  public var isSelfSigned: Bool {
    isAuthority && (try? x509.use { X509_self_signed($0, 1) == 1 }) == true
  }

  func isValid(at moment: Instant) -> Bool { notBefore <= moment && moment <= notAfter }

  /// Whether it has an extension with this object identifier.
  func hasExtension(_ name: String) -> Bool {
    guard let object = OBJ_txt2obj(name, 1) else { return false }
    defer { ASN1_OBJECT_free(object) }
    return (try? x509.use { X509_get_ext_by_OBJ($0, object, -1) >= 0 }) == true
  }

  /// Verifies an ES256 signature of a text (RFC 7518, section 3.4): two numbers of 32 bytes. False
  /// for a key on another curve than P-256.
  func verifiesES256(_ signature: [UInt8], of text: String) -> Bool {
    guard let key = try? P256.Signing.PublicKey(derRepresentation: key), signature.count == 64,
      let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
    else { return false }
    return key.isValidSignature(signature, for: SHA256.hash(data: Data(text.utf8)))
  }

  // MARK: Parsing

  /// Whether the curve of the key is a name, not parameters (RFC 5480, section 2.1.1).
  private static func namesCurve(_ pointer: OpaquePointer) -> Bool {
    var algorithm: UnsafeMutablePointer<X509_ALGOR>?
    var kind: Int32 = V_ASN1_UNDEF
    X509_PUBKEY_get0_param(nil, nil, nil, &algorithm, X509_get_X509_PUBKEY(pointer))
    guard let algorithm else { return false }
    X509_ALGOR_get0(nil, &kind, nil, algorithm)
    return kind == V_ASN1_OBJECT
  }

  /// Whether a key in DER is a point of one of the two curves of Apple's certificates.
  private static func isKnown(_ key: [UInt8]) -> Bool {
    (try? P256.Signing.PublicKey(derRepresentation: key)) != nil
      || (try? P384.Signing.PublicKey(derRepresentation: key)) != nil
  }

  private static func checkExtensions(_ pointer: OpaquePointer) throws(CertificateError) {
    let count = X509_get_ext_count(pointer)
    guard count <= mostExtensions else { throw .malformed }
    for place in 0..<count {
      let one = X509_get_ext(pointer, place)
      let name = X509_EXTENSION_get_object(one)
      // None twice (RFC 5280, section 4.2).
      guard X509_get_ext_by_OBJ(pointer, name, place) < 0,
        X509_EXTENSION_get_critical(one) == 0 || knownCritical.contains(OBJ_obj2nid(name))
      else { throw .malformed }
    }
  }

  /// The time in one of the two forms of certificates: UTCTime with two digits of the year, of 1950
  /// to 2049, or GeneralizedTime, both in whole seconds with "Z" (RFC 5280, section 4.1.2.5).
  static func moment(_ time: UnsafePointer<ASN1_TIME>?) throws(CertificateError) -> Instant {
    var parts = tm()
    guard let time, let start = ASN1_STRING_get0_data(time) else { throw .malformed }
    let bytes = UnsafeBufferPointer(start: start, count: Int(ASN1_STRING_length(time)))
    // libcrypto accepts other forms, too.
    guard bytes.count == (ASN1_STRING_type(time) == V_ASN1_UTCTIME ? 13 : 15),
      bytes.last == UInt8(ascii: "Z"),
      bytes.dropLast().allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
      ASN1_TIME_to_tm(time, &parts) == 1
    else { throw .malformed }
    return Instant(milliseconds: Int64(timegm(&parts)) * 1000)
  }
}
