import Crypto
import Foundation
import Secrets

/// The keys of a browser's subscription: only it can decrypt messages encrypted with them.
public struct PushKeys: Sendable, Equatable {
  /// An uncompressed point on P-256, 65 bytes.
  public let point: [UInt8]
  /// 16 bytes.
  public let secret: [UInt8]

  /// Nil if the point is not on the curve, or the secret hasn't 16 bytes.
  public init?(point: [UInt8], secret: [UInt8]) {
    guard secret.count == Self.secretLength, Self.isOnCurve(point) else { return nil }
    self.point = point
    self.secret = secret
  }

  /// The two as in a browser's own JSON, in base64url, with padding or without.
  public init?(p256dh: String, auth: String) {
    guard let point = Self.point(p256dh), let secret = Self.secret(auth) else { return nil }
    self.init(point: point, secret: secret)
  }

  /// A point as a browser writes it; nil if it is not on the curve.
  public static func point(_ text: String) -> [UInt8]? {
    bytes(text).flatMap { isOnCurve($0) ? $0 : nil }
  }

  /// A secret as a browser writes it; nil if it hasn't 16 bytes.
  public static func secret(_ text: String) -> [UInt8]? {
    bytes(text).flatMap { $0.count == secretLength ? $0 : nil }
  }

  private static let secretLength = 16
  /// The maximum length of a text, far above that of either with padding.
  private static let maximumTextLength = 100

  private static func isOnCurve(_ point: [UInt8]) -> Bool {
    point.count == 65 && (try? P256.KeyAgreement.PublicKey(x963Representation: point)) != nil
  }

  private static func bytes(_ text: String) -> [UInt8]? {
    guard text.utf8.count <= maximumTextLength else { return nil }
    var text = Substring(text)
    while text.last == "=" { text.removeLast() }
    return Base64URL.bytes(text)
  }
}

/// Encrypts a message for one browser (RFC 8291 over RFC 8188): "aes128gcm" in a single record.
public enum PushEncryption {
  /// The maximum length of a message for a body of 4096 bytes, which every push service accepts
  /// (RFC 8030, section 7.2).
  public static let maximumBytes = 4096 - 86 - 17

  /// The body of a push. Throws if the message is too long, or the key agreement fails.
  public static func seal(_ message: [UInt8], for keys: PushKeys) throws -> [UInt8] {
    try seal(message, for: keys, with: P256.KeyAgreement.PrivateKey(), salt: RandomBytes.make(16))
  }

  struct TooLong: Error {}

  static func seal(
    _ message: [UInt8], for keys: PushKeys, with own: P256.KeyAgreement.PrivateKey,
    salt: [UInt8]
  ) throws -> [UInt8] {
    guard message.count <= maximumBytes else { throw TooLong() }
    let theirs = try P256.KeyAgreement.PublicKey(x963Representation: keys.point)
    let point = Array(own.publicKey.x963Representation)
    let shared = try own.sharedSecretFromKeyAgreement(with: theirs)
    // RFC 8291, section 3.3: the browser's secret is mixed in before the content key is derived.
    let joined = shared.hkdfDerivedSymmetricKey(
      using: SHA256.self, salt: keys.secret,
      sharedInfo: Array("WebPush: info\0".utf8) + keys.point + point, outputByteCount: 32)
    func derive(_ name: String, _ count: Int) -> SymmetricKey {
      HKDF<SHA256>.deriveKey(
        inputKeyMaterial: joined, salt: salt,
        info: Array("Content-Encoding: \(name)\0".utf8), outputByteCount: count)
    }
    let key = derive("aes128gcm", 16)
    let nonce = try AES.GCM.Nonce(data: derive("nonce", 12).withUnsafeBytes { Data($0) })
    // 2 marks the last record (RFC 8188, section 2).
    let box = try AES.GCM.seal(message + [2], using: key, nonce: nonce)
    let size = UInt32(4096)
    return salt + withUnsafeBytes(of: size.bigEndian, Array.init) + [UInt8(point.count)] + point
      + Array(box.ciphertext) + Array(box.tag)
  }
}
