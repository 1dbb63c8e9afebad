import Core
import Crypto
import Foundation

/// The random key of the files that belong to one row, which has it sealed by the instance's key
/// ring (docs/decisions/0030-encrypted-message-files.md).
///
/// An encrypted file has 4 bytes that name this format, 12 of nonce, the ciphertext (as long as the
/// plaintext) and 16 of tag, of AES-256-GCM.
public struct FileKey: Sendable {
  private static let format = Array("PSF1".utf8)
  private static let nonceLength = 12
  private static let tagLength = 16

  private let secret: [UInt8]

  private init(_ secret: [UInt8]) {
    self.secret = secret
  }

  public static func random() -> FileKey { FileKey(RandomBytes.make(Key.length)) }

  /// Decrypts a key that `sealed` made for the same location. Throws `SealError`.
  public init(
    _ sealed: [UInt8], for context: AssociatedData, with keys: KeyRing
  ) throws(SealError) {
    let secret = try keys.open(sealed, for: context)
    guard secret.count == Key.length else { throw .changedOrMoved }
    self.secret = secret
  }

  /// The key as its row stores it.
  public func sealed(for context: AssociatedData, with keys: KeyRing) throws -> [UInt8] {
    try keys.seal(secret, for: context)
  }

  /// Encrypts a file; it decrypts under the same name only.
  public func encrypt(_ bytes: [UInt8], named name: String) throws -> [UInt8] {
    let box = try AES.GCM.seal(
      bytes, using: SymmetricKey(data: secret), authenticating: Array(name.utf8))
    return Self.format + Array(box.nonce) + Array(box.ciphertext) + Array(box.tag)
  }

  /// Decrypts a file that `encrypt` made under this name. Throws `SealError`.
  public func decrypt(_ file: [UInt8], named name: String) throws(SealError) -> [UInt8] {
    guard file.count >= Self.format.count + Self.nonceLength + Self.tagLength else {
      throw .tooShort
    }
    guard file.starts(with: Self.format) else { throw .changedOrMoved }
    do {
      let box = try AES.GCM.SealedBox(combined: file.dropFirst(Self.format.count))
      return Array(
        try AES.GCM.open(
          box, using: SymmetricKey(data: secret), authenticating: Array(name.utf8)))
    } catch {
      throw .changedOrMoved
    }
  }
}
