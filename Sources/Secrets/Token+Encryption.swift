import Crypto

extension Token {
  /// Encrypts with AES-256-GCM under a key derived from the token by HKDF-SHA-256 (RFC 5869). Only
  /// the token's owner can decrypt: the database has only its hash. `purpose` separates uses.
  public func seal(_ plaintext: [UInt8], purpose: String) throws -> [UInt8] {
    let box = try AES.GCM.seal(plaintext, using: key(purpose))
    return Array(box.nonce) + Array(box.ciphertext) + Array(box.tag)
  }

  /// Decrypts a value that `seal` made with the same token and purpose; nil for anything else.
  public func open(_ sealed: [UInt8], purpose: String) -> [UInt8]? {
    guard let box = try? AES.GCM.SealedBox(combined: sealed),
      let bytes = try? AES.GCM.open(box, using: key(purpose))
    else { return nil }
    return Array(bytes)
  }

  private func key(_ purpose: String) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: bytes), info: Array("token \(purpose)".utf8),
      outputByteCount: 32)
  }
}
