import Core
import Crypto
import CryptoExtras
import Foundation
import Secrets

/// Signs like the App Store, with its own root, intermediate and leaf certificates.
public struct FakeAppStore: Sendable {
  /// An extension of a certificate, by its object identifier.
  public struct Extension: Sendable {
    let name: String
    let isCritical: Bool
    let content: [UInt8]

    /// The default content is NULL.
    public init(_ name: String, isCritical: Bool, content: [UInt8] = [0x05, 0x00]) {
      self.name = name
      self.isCritical = isCritical
      self.content = content
    }

    /// Extended key usage, by object identifiers (RFC 5280, section 4.2.1.12).
    public static func purposes(_ names: [String], isCritical: Bool) -> Extension {
      Extension(
        "2.5.29.37", isCritical: isCritical,
        content: DERWriter.value(0x30, names.flatMap(DERWriter.oid)))
    }

    var der: [UInt8] { DERWriter.extension(name, critical: isCritical, content) }
  }

  /// Differences from Apple's certificates.
  public struct Options: Sendable {
    public var leafMarker: String? = "1.2.840.113635.100.6.11.1"
    public var intermediateMarker: String? = "1.2.840.113635.100.6.2.1"
    public var leafFrom: Instant
    public var leafUntil: Instant
    /// Validity of intermediate and leaf; by default ten years around now.
    public var intermediateFrom: Instant?
    public var intermediateUntil: Instant?
    public var rootFrom: Instant?
    public var rootUntil: Instant?
    /// Whether times are GeneralizedTime, the type for years from 2050 on.
    public var timesInFull = false
    /// Whether the intermediate is an authority.
    public var intermediateSigns = true
    /// Whether the leaf is an authority.
    public var leafSigns = false
    /// Key usage, as bits of RFC 5280, section 4.2.1.3, if it differs from the correct one.
    public var intermediateUsage: UInt8?
    public var leafUsage: UInt8?
    /// The path length constraint.
    public var rootLength: UInt8?
    public var intermediateLength: UInt8? = 0
    public var leafLength: UInt8?
    /// Additional extensions.
    public var intermediateExtensions: [Extension] = []
    public var leafExtensions: [Extension] = []
    /// Whether the leaf's key is on P-384.
    public var isLeafLong = false

    public init(leafFrom: Instant, leafUntil: Instant) {
      self.leafFrom = leafFrom
      self.leafUntil = leafUntil
    }
  }

  private static let sha384 = DERWriter.sequence(DERWriter.oid("1.2.840.10045.4.3.3"))

  private let rootKey: P384.Signing.PrivateKey
  private let middleKey: P384.Signing.PrivateKey
  private let leafKey: P256.Signing.PrivateKey
  /// Signs instead of the other key if set.
  private let longLeafKey: P384.Signing.PrivateKey?
  /// In DER.
  public private(set) var root: [UInt8]
  public private(set) var intermediate: [UInt8]
  public private(set) var leaf: [UInt8]

  /// Generates keys and certificates, valid for `years` around `now`.
  public init(now: Instant, options: Options? = nil) throws {
    try self.init(
      rootKey: .init(), middleKey: .init(), leafKey: .init(),
      options: options
        ?? Options(
          leafFrom: now.adding(seconds: -.days(400)), leafUntil: now.adding(seconds: .days(400))),
      around: now)
  }

  private init(
    rootKey: P384.Signing.PrivateKey, middleKey: P384.Signing.PrivateKey,
    leafKey: P256.Signing.PrivateKey, options: Options, around now: Instant
  ) throws {
    self.rootKey = rootKey
    self.middleKey = middleKey
    self.leafKey = leafKey
    let longLeafKey = options.isLeafLong ? P384.Signing.PrivateKey() : nil
    self.longLeafKey = longLeafKey
    let from = now.adding(seconds: -.days(3650))
    let until = now.adding(seconds: .days(3650))
    func validity(_ begin: Instant?, _ end: Instant?) -> [UInt8] {
      DERWriter.sequence(
        DERWriter.moment(begin ?? from, inFull: options.timesInFull),
        DERWriter.moment(end ?? until, inFull: options.timesInFull))
    }
    root = try Self.certificate(
      "Stand-in Root", by: "Stand-in Root", Self.point(rootKey.publicKey),
      validity(options.rootFrom, options.rootUntil),
      [Self.authority(true, length: options.rootLength)], rootKey)
    intermediate = try Self.certificate(
      "Stand-in Intermediate", by: "Stand-in Root", Self.point(middleKey.publicKey),
      validity(options.intermediateFrom, options.intermediateUntil),
      [
        Self.authority(
          options.intermediateSigns,
          length: options.intermediateSigns ? options.intermediateLength : nil,
          usage: options.intermediateUsage)
      ] + Self.marker(options.intermediateMarker)
        + options.intermediateExtensions.map(\.der), rootKey
    )
    leaf = try Self.certificate(
      "Stand-in Leaf", by: "Stand-in Intermediate",
      longLeafKey.map { Self.point($0.publicKey) } ?? Self.point(leafKey.publicKey),
      validity(options.leafFrom, options.leafUntil),
      [
        Self.authority(
          options.leafSigns, length: options.leafLength, usage: options.leafUsage)
      ]
        + Self.marker(options.leafMarker) + options.leafExtensions.map(\.der), middleKey)
  }

  /// The same authorities with another leaf or intermediate.
  public func with(_ options: Options, now: Instant) throws -> FakeAppStore {
    try FakeAppStore(
      rootKey: rootKey, middleKey: middleKey, leafKey: leafKey, options: options,
      around: now
    ).keeping(root: root)
  }

  private func keeping(root: [UInt8]) -> FakeAppStore {
    var copy = self
    copy.root = root
    return copy
  }

  public var rootPEM: String {
    """
    -----BEGIN CERTIFICATE-----
    \(Data(root).base64EncodedString(options: .lineLength64Characters))
    -----END CERTIFICATE-----

    """
  }

  public var chain: [[UInt8]] { [leaf, intermediate, root] }

  // MARK: Signing

  /// Signs JSON; `algorithm` and `chain` are the header's values.
  public func sign(
    _ payload: String, algorithm: String = "ES256", chain: [[UInt8]]? = nil
  ) throws -> String {
    let text = Self.unsigned(payload, algorithm: algorithm, chain: chain ?? self.chain)
    let data = Data(text.utf8)
    let signature =
      try longLeafKey?.signature(for: data).rawRepresentation
      ?? leafKey.signature(for: data).rawRepresentation
    return "\(text).\(Base64URL.text(signature))"
  }

  /// Without a signature: `alg: none`.
  public func unsigned(_ payload: String) -> String {
    Self.unsigned(payload, algorithm: "none", chain: chain) + "."
  }

  /// HMAC with the leaf's certificate as key, which a naive verifier would accept.
  public func signHS256(_ payload: String) -> String {
    let text = Self.unsigned(payload, algorithm: "HS256", chain: chain)
    return "\(text).\(Base64URL.text(Digests.hmac(Array(text.utf8), key: leaf)))"
  }

  /// A real RSA signature; `algorithm` is the header's value.
  public func signRSA(_ payload: String, algorithm: String = "RS256") throws -> String {
    let text = Self.unsigned(payload, algorithm: algorithm, chain: chain)
    let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
    let signature = try key.signature(
      for: SHA256.hash(data: Data(text.utf8)), padding: .insecurePKCS1v1_5)
    return "\(text).\(Base64URL.text(Array(signature.rawRepresentation)))"
  }

  public static func unsigned(_ payload: String, algorithm: String, chain: [[UInt8]]) -> String {
    let certificates = chain.map { "\"\(Data($0).base64EncodedString())\"" }
    let header = "{\"alg\":\"\(algorithm)\",\"x5c\":[\(certificates.joined(separator: ","))]}"
    return [header, payload].map { Base64URL.text(Array($0.utf8)) }.joined(separator: ".")
  }

  // MARK: Saving

  private struct Kept: Codable {
    let root: Data
    let middle: Data
    let leaf: Data
    let certificates: [Data]
  }

  /// All keys and certificates, for another run of a program.
  public func kept() throws -> Data {
    try JSONEncoder().encode(
      Kept(
        root: rootKey.rawRepresentation, middle: middleKey.rawRepresentation,
        leaf: leafKey.rawRepresentation, certificates: chain.map { Data($0) }))
  }

  public init(kept: Data) throws {
    let kept = try JSONDecoder().decode(Kept.self, from: kept)
    rootKey = try .init(rawRepresentation: kept.root)
    middleKey = try .init(rawRepresentation: kept.middle)
    leafKey = try .init(rawRepresentation: kept.leaf)
    longLeafKey = nil
    (leaf, intermediate, root) = (
      Array(kept.certificates[0]), Array(kept.certificates[1]), Array(kept.certificates[2])
    )
  }

  // MARK: Certificates

  private static func certificate(
    _ subject: String, by issuer: String, _ key: [UInt8], _ validity: [UInt8],
    _ extensions: [[UInt8]], _ signer: P384.Signing.PrivateKey
  ) throws -> [UInt8] {
    let body = DERWriter.sequence(
      DERWriter.value(0xA0, [0x02, 0x01, 0x02]),
      DERWriter.value(0x02, [0x01] + RandomBytes.make(8)), sha384, DERWriter.name(issuer),
      validity, DERWriter.name(subject), key,
      DERWriter.value(0xA3, DERWriter.value(0x30, extensions.flatMap { $0 })))
    let signature = try signer.signature(for: SHA384.hash(data: Data(body)))
    return DERWriter.sequence(body, sha384, DERWriter.bits(Array(signature.derRepresentation)))
  }

  private static func point(_ key: P384.Signing.PublicKey) -> [UInt8] {
    Array(key.derRepresentation)
  }

  private static func point(_ key: P256.Signing.PublicKey) -> [UInt8] {
    Array(key.derRepresentation)
  }

  /// Basic constraints and key usage: for certificates and revocation lists, or for signing.
  private static func authority(
    _ signs: Bool, length: UInt8? = nil, usage: UInt8? = nil
  ) -> [UInt8] {
    DERWriter.extension(
      "2.5.29.19", critical: true,
      DERWriter.sequence(
        signs ? [0x01, 0x01, 0xFF] : [], length.map { DERWriter.value(0x02, [$0]) } ?? []))
      + DERWriter.extension(
        "2.5.29.15", critical: true, DERWriter.usage(usage ?? (signs ? 0x06 : 0x80)))
  }

  private static func marker(_ name: String?) -> [[UInt8]] {
    name.map { [DERWriter.extension($0, [0x05, 0x00])] } ?? []
  }
}
