import Basics
import Crypto
import Foundation
import Secrets

/// Somebody who signs as the App Store does, with a root, an intermediate and a leaf of their own.
public struct AppleStandIn: Sendable {
  /// What differs from how Apple makes them.
  public struct Wishes: Sendable {
    public var leafMarker: String? = "1.2.840.113635.100.6.11.1"
    public var intermediateMarker: String? = "1.2.840.113635.100.6.2.1"
    public var leafFrom: Instant
    public var leafUntil: Instant
    /// Whether the intermediate may sign others.
    public var intermediateSigns = true
    /// Whether the leaf may sign others.
    public var leafSigns = false
    /// A critical extension that nobody knows, in the leaf.
    public var strangeExtension = false

    public init(leafFrom: Instant, leafUntil: Instant) {
      self.leafFrom = leafFrom
      self.leafUntil = leafUntil
    }
  }

  private static let sha384 = DERWriter.sequence(DERWriter.oid("1.2.840.10045.4.3.3"))

  private let rootKey: P384.Signing.PrivateKey
  private let middleKey: P384.Signing.PrivateKey
  private let leafKey: P256.Signing.PrivateKey
  /// In DER.
  public private(set) var root: [UInt8]
  public private(set) var intermediate: [UInt8]
  public private(set) var leaf: [UInt8]

  /// Makes keys and certificates, valid for `years` around `now`.
  public init(now: Instant, wishes: Wishes? = nil) throws {
    try self.init(
      rootKey: .init(), middleKey: .init(), leafKey: .init(),
      wishes: wishes
        ?? Wishes(
          leafFrom: now.adding(seconds: -.days(400)), leafUntil: now.adding(seconds: .days(400))),
      around: now)
  }

  private init(
    rootKey: P384.Signing.PrivateKey, middleKey: P384.Signing.PrivateKey,
    leafKey: P256.Signing.PrivateKey, wishes: Wishes, around now: Instant
  ) throws {
    self.rootKey = rootKey
    self.middleKey = middleKey
    self.leafKey = leafKey
    let from = now.adding(seconds: -.days(3650))
    let until = now.adding(seconds: .days(3650))
    let rootPoint = Self.point(rootKey.publicKey)
    let authority = Self.authority(true)
    root = try Self.certificate(
      "Stand-in Root", by: "Stand-in Root", rootPoint, from, until, [authority], rootKey)
    intermediate = try Self.certificate(
      "Stand-in Intermediate", by: "Stand-in Root", Self.point(middleKey.publicKey), from, until,
      [Self.authority(wishes.intermediateSigns)] + Self.marker(wishes.intermediateMarker), rootKey)
    let strange =
      wishes.strangeExtension
      ? [DERWriter.extension("1.2.3.4", critical: true, [0x05, 0x00])] : []
    leaf = try Self.certificate(
      "Stand-in Leaf", by: "Stand-in Intermediate", Self.point(leafKey.publicKey),
      wishes.leafFrom, wishes.leafUntil,
      [Self.authority(wishes.leafSigns)] + Self.marker(wishes.leafMarker) + strange, middleKey)
  }

  /// The same authorities with another leaf or intermediate.
  public func with(_ wishes: Wishes, now: Instant) throws -> AppleStandIn {
    try AppleStandIn(
      rootKey: rootKey, middleKey: middleKey, leafKey: leafKey, wishes: wishes, around: now
    ).keeping(root: root)
  }

  private func keeping(root: [UInt8]) -> AppleStandIn {
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

  /// Signs JSON; `algorithm` and `chain` are what the header says.
  public func sign(
    _ payload: String, algorithm: String = "ES256", chain: [[UInt8]]? = nil
  ) throws -> String {
    let text = Self.unsigned(payload, algorithm: algorithm, chain: chain ?? self.chain)
    let signature = try leafKey.signature(for: Data(text.utf8))
    return "\(text).\(Base64URL.text(signature.rawRepresentation))"
  }

  /// Without a signature: `alg: none`.
  public func unsigned(_ payload: String) -> String {
    Self.unsigned(payload, algorithm: "none", chain: chain) + "."
  }

  /// By HMAC, with the leaf's certificate as its key: what a naive verifier would take.
  public func signHS256(_ payload: String) -> String {
    let text = Self.unsigned(payload, algorithm: "HS256", chain: chain)
    return "\(text).\(Base64URL.text(Digests.hmac(Array(text.utf8), key: leaf)))"
  }

  public static func unsigned(_ payload: String, algorithm: String, chain: [[UInt8]]) -> String {
    let certificates = chain.map { "\"\(Data($0).base64EncodedString())\"" }
    let header = "{\"alg\":\"\(algorithm)\",\"x5c\":[\(certificates.joined(separator: ","))]}"
    return [header, payload].map { Base64URL.text(Array($0.utf8)) }.joined(separator: ".")
  }

  // MARK: Keeping

  private struct Kept: Codable {
    let root: Data
    let middle: Data
    let leaf: Data
    let certificates: [Data]
  }

  /// Everything, for another run of a program.
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
    (leaf, intermediate, root) = (
      Array(kept.certificates[0]), Array(kept.certificates[1]), Array(kept.certificates[2])
    )
  }

  // MARK: Certificates

  private static func certificate(
    _ subject: String, by issuer: String, _ key: [UInt8], _ from: Instant, _ until: Instant,
    _ extensions: [[UInt8]], _ signer: P384.Signing.PrivateKey
  ) throws -> [UInt8] {
    let body = DERWriter.sequence(
      DERWriter.value(0xA0, [0x02, 0x01, 0x02]),
      DERWriter.value(0x02, [0x01] + RandomBytes.make(8)), sha384, DERWriter.name(issuer),
      DERWriter.sequence(DERWriter.moment(from), DERWriter.moment(until)),
      DERWriter.name(subject), key,
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

  /// Basic constraints and key usage.
  private static func authority(_ signs: Bool) -> [UInt8] {
    DERWriter.extension(
      "2.5.29.19", critical: true, DERWriter.sequence(signs ? [0x01, 0x01, 0xFF] : []))
      + DERWriter.extension(
        "2.5.29.15", critical: true, signs ? [0x03, 0x02, 0x01, 0x06] : [0x03, 0x02, 0x07, 0x80])
  }

  private static func marker(_ name: String?) -> [[UInt8]] {
    name.map { [DERWriter.extension($0, [0x05, 0x00])] } ?? []
  }
}
