import Core
import Foundation

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

/// An X.509 certificate, as far as chains with elliptic curves need it (RFC 5280, section 4.1).
public struct Certificate: Sendable {
  struct Extension: Sendable {
    let isCritical: Bool
    let value: ArraySlice<UInt8>
  }

  /// The critical extensions that are accepted, because they are checked or need no check. The
  /// extended key usage is not among them: if it is critical, the certificate is for other
  /// purposes.
  private enum CriticalExtensions {
    static let keyUsage = "2.5.29.15"
    static let basicConstraints = "2.5.29.19"
    static let policies = "2.5.29.32"
    static let all: Set = [keyUsage, basicConstraints, policies]
  }

  /// Bits of the key usage (RFC 5280, section 4.2.1.3).
  private enum Usage {
    static let digitalSignature: UInt8 = 0x80
    static let keyCertSign: UInt8 = 0x04
  }

  /// The certificate in DER.
  public let bytes: [UInt8]
  public let notBefore: Instant
  public let notAfter: Instant
  let issuer: ArraySlice<UInt8>
  let subject: ArraySlice<UInt8>
  let key: SigningKey
  let extensions: [String: Extension]
  /// Whether it may sign other certificates.
  let isAuthority: Bool
  /// The maximum number of authorities between it and a leaf; nil for no limit.
  let pathLengthConstraint: Int?
  /// Whether its key may sign data other than certificates.
  let signsStatements: Bool
  private let signed: ArraySlice<UInt8>
  private let algorithm: SigningKey.Algorithm
  private let signature: ArraySlice<UInt8>

  /// Parses DER. Throws `.malformed` for anything but a certificate with a key on P-256 or P-384
  /// that is signed by such a key.
  public init(der bytes: [UInt8]) throws(CertificateError) {
    self.bytes = bytes
    var outer = DERReader(bytes[...])
    var whole = try outer.next(DERValue.Tag.sequence).inside
    try outer.end()
    let toBeSigned = try whole.next(DERValue.Tag.sequence)
    let algorithmOutside = try whole.next(DERValue.Tag.sequence)
    let signatureBits = try whole.next(DERValue.Tag.bitString).bits
    try whole.end()

    var fields = toBeSigned.inside
    // Version 3 is the one with extensions.
    guard let version = try fields.optional(DERValue.Tag.version),
      version.content.elementsEqual([0x02, 0x01, 0x02])
    else { throw .malformed }
    _ = try fields.next(DERValue.Tag.integer)
    let algorithmInside = try fields.next(DERValue.Tag.sequence)
    let issuer = try fields.next(DERValue.Tag.sequence)
    var validity = try fields.next(DERValue.Tag.sequence).inside
    let notBefore = try Self.moment(validity.next())
    let notAfter = try Self.moment(validity.next())
    try validity.end()
    let subject = try fields.next(DERValue.Tag.sequence)
    let key = try fields.next(DERValue.Tag.sequence)
    let extensions = try Self.extensions(try fields.optional(DERValue.Tag.extensions))
    try fields.end()

    guard algorithmInside.whole.elementsEqual(algorithmOutside.whole),
      let algorithm = SigningKey.Algorithm(try Self.algorithmName(algorithmOutside)),
      let signature = signatureBits, let known = try SigningKey(key),
      extensions.allSatisfy({ !$0.value.isCritical || CriticalExtensions.all.contains($0.key) })
    else { throw .malformed }
    signed = toBeSigned.whole
    self.algorithm = algorithm
    self.signature = signature
    self.issuer = issuer.whole
    self.subject = subject.whole
    self.notBefore = notBefore
    self.notAfter = notAfter
    self.key = known
    self.extensions = extensions
    let constraints = try Self.constraints(extensions[CriticalExtensions.basicConstraints])
    let usage = try Self.usage(extensions[CriticalExtensions.keyUsage])
    isAuthority = constraints.isAuthority && usage.map { $0 & Usage.keyCertSign != 0 } ?? true
    pathLengthConstraint = constraints.pathLengthConstraint
    signsStatements = usage.map { $0 & Usage.digitalSignature != 0 } ?? true
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

  /// Whether it is signed by itself, as a root is.
  public var isSelfSigned: Bool { isSigned(by: self) }

  /// Whether it is signed by the other one, which must be an authority.
  func isSigned(by other: Certificate) -> Bool {
    other.isAuthority && issuer.elementsEqual(other.subject)
      && other.key.verifies(signature, of: signed, algorithm)
  }

  func isValid(at moment: Instant) -> Bool { notBefore <= moment && moment <= notAfter }

  // MARK: Parsing

  private static func algorithmName(_ value: DERValue) throws(CertificateError) -> String {
    var fields = value.inside
    guard let name = try fields.next(DERValue.Tag.oid).dotted else { throw .malformed }
    // ECDSA has no parameters (RFC 5758, section 3.2).
    try fields.end()
    return name
  }

  private static func extensions(
    _ value: DERValue?
  ) throws(CertificateError) -> [String: Extension] {
    guard let value else { return [:] }
    var outer = value.inside
    var list = try outer.next(DERValue.Tag.sequence).inside
    try outer.end()
    var found: [String: Extension] = [:]
    while !list.isAtEnd {
      var one = try list.next(DERValue.Tag.sequence).inside
      guard let name = try one.next(DERValue.Tag.oid).dotted, found[name] == nil else {
        throw .malformed
      }
      let critical = try one.optional(DERValue.Tag.boolean)
      guard critical.map({ $0.content.elementsEqual([0xFF]) }) ?? true else { throw .malformed }
      found[name] = Extension(
        isCritical: critical != nil, value: try one.next(DERValue.Tag.octetString).content)
      try one.end()
    }
    return found
  }

  /// Basic constraints (RFC 5280, section 4.2.1.9); without them a certificate may not sign others.
  private static func constraints(
    _ found: Extension?
  ) throws(CertificateError) -> (isAuthority: Bool, pathLengthConstraint: Int?) {
    guard let found else { return (false, nil) }
    var outer = DERReader(found.value)
    var fields = try outer.next(DERValue.Tag.sequence).inside
    try outer.end()
    let authority = try fields.optional(DERValue.Tag.boolean)?.content
    let length = try fields.optional(DERValue.Tag.integer)?.content
    try fields.end()
    let isAuthority = authority?.elementsEqual([0xFF]) ?? false
    // An explicit `false` is not valid DER, but such certificates exist.
    guard isAuthority || authority?.elementsEqual([0x00]) ?? true else { throw .malformed }
    guard let length else { return (isAuthority, nil) }
    // Only for an authority, and not negative.
    guard isAuthority, 1...4 ~= length.count, let first = length.first, first < 0x80 else {
      throw .malformed
    }
    return (true, length.reduce(0) { $0 << 8 | Int($1) })
  }

  /// The first eight bits of the key usage; nil if absent, which allows all uses.
  private static func usage(_ found: Extension?) throws(CertificateError) -> UInt8? {
    guard let found else { return nil }
    var reader = DERReader(found.value)
    let bits = try reader.next(DERValue.Tag.bitString).content
    try reader.end()
    // The first byte is the number of unused bits at the end.
    guard bits.count >= 2, bits[bits.startIndex] < 8 else { throw .malformed }
    return bits[bits.startIndex + 1]
  }

  /// Parses "260302000000Z" or the form with a four-digit year (RFC 5280, section 4.1.2.5); two
  /// digits mean 1950 to 2049.
  static func moment(_ value: DERValue) throws(CertificateError) -> Instant {
    let yearDigits: Int
    switch value.tag {
    case DERValue.Tag.utcTime: yearDigits = 2
    case DERValue.Tag.generalizedTime: yearDigits = 4
    default: throw .malformed
    }
    let digits = value.content.dropLast().map { Int($0) - 48 }
    guard value.content.last == UInt8(ascii: "Z"), digits.count == yearDigits + 10,
      digits.allSatisfy({ 0...9 ~= $0 })
    else { throw .malformed }
    func number(_ start: Int, _ count: Int) -> Int {
      digits[start..<start + count].reduce(0) { $0 * 10 + $1 }
    }
    var year = number(0, yearDigits)
    if yearDigits == 2 { year += year < 50 ? 2000 : 1900 }
    let parts = stride(from: yearDigits, to: digits.count, by: 2).map { number($0, 2) }
    guard let day = LocalDay(year: year, month: parts[0], day: parts[1]), parts[2] < 24,
      parts[3] < 60, parts[4] < 60
    else { throw .malformed }
    let seconds = Int64(day.number) * 86_400 + Int64(parts[2] * 3600 + parts[3] * 60 + parts[4])
    return Instant(milliseconds: seconds * 1000)
  }
}
