import Crypto
import Foundation

/// A secret of 32 bytes that two machines have, in a file of its own.
public struct SharedKey: Sendable {
  /// The number of bytes.
  private static let length = 32

  private let secret: [UInt8]

  /// Parses the text that `text` returns; nil for anything else.
  public init?(_ text: String) {
    guard let bytes = Base64URL.bytes(text), bytes.count == Self.length else { return nil }
    secret = bytes
  }

  /// Reads a file; nil if there is none. Throws `KeyFileError`.
  public static func load(_ name: String, in directory: String) throws(KeyFileError) -> SharedKey? {
    let path = "\(directory)/\(name)"
    let bytes: [UInt8]
    do {
      bytes = try SecretFiles.read(path)
    } catch .missing {
      return nil
    }
    let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(
      in: .whitespacesAndNewlines)
    guard let key = SharedKey(text) else { throw .unreadable(path) }
    return key
  }

  /// Reads a file, or creates it with a random key. Throws `KeyFileError`.
  public static func loadOrMake(
    _ name: String, in directory: String
  ) throws(KeyFileError) -> SharedKey {
    try SecretFiles.makeDirectory(directory)
    let text = Base64URL.text(RandomBytes.make(length))
    try SecretFiles.publish(Array("\(text)\n".utf8), name: name, in: directory)
    guard let key = try load(name, in: directory) else { throw .missing("\(directory)/\(name)") }
    return key
  }

  /// The key as a line of text, which is to be kept secret.
  public var text: String { Base64URL.text(secret) }

  /// A key of 32 bytes for one purpose and, within it, one context.
  public func derived(_ purpose: String, _ context: [UInt8] = []) -> [UInt8] {
    Digests.hmac(Array(purpose.utf8) + [0] + context, key: secret)
  }

  /// Encrypts with AES-256-GCM and a derived key: 12 bytes of nonce, the ciphertext, 16 of tag.
  public func seal(
    _ plaintext: [UInt8], _ purpose: String, _ context: [UInt8]
  ) throws -> [UInt8] {
    let box = try AES.GCM.seal(
      plaintext, using: SymmetricKey(data: derived(purpose, context)))
    return Array(box.nonce) + Array(box.ciphertext) + Array(box.tag)
  }

  /// Decrypts what `seal` made for the same purpose and context. Throws `SealError`.
  public func open(
    _ sealed: [UInt8], _ purpose: String, _ context: [UInt8]
  ) throws(SealError) -> [UInt8] {
    do {
      let box = try AES.GCM.SealedBox(combined: sealed)
      return Array(try AES.GCM.open(box, using: SymmetricKey(data: derived(purpose, context))))
    } catch {
      throw .changedOrMoved
    }
  }
}
