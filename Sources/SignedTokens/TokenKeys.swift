import Core
import CryptoExtras
import Foundation
import Secrets

/// The RSA keys with which an instance signs tokens, and by which it knows them again.
public struct TokenKeys: Sendable {
  /// How long a key that signs no more still verifies, in s: longer than any token lives.
  public static let afterlife: Int64 = .hours(1)

  struct Signing: Sendable {
    let id: String
    let key: _RSA.Signing.PrivateKey
  }

  private struct Verifying: Sendable {
    let key: _RSA.Signing.PublicKey
    let endsAt: Int64?
  }

  let signing: Signing
  private let verifying: [String: Verifying]

  /// Reads `token-keys.json` in a directory, or makes it at the first start, mode 600; when several
  /// processes start at once, all get the same keys. Keys that have ended go, and a signing key
  /// that is too small makes way for a new one. Throws `KeyFileError`.
  public static func loadOrMake(in directory: String, now: Instant) throws -> TokenKeys {
    let path = "\(directory)/\(TokenKeyFile.name)"
    let found = try TokenKeyFile.readOrMake(in: directory)
    let keys = try TokenKeys(found, path: path)
    guard found.pruned(now: now) != found || keys.signing.key.keySizeInBits < TokenKey.bits
    else { return keys }
    return try SecretFiles.withLock(on: directory) {
      let kept = try TokenKeyFile.readOrMake(in: directory)
      let pruned = kept.pruned(now: now)
      let file = try pruned.strengthened(now: now) ?? pruned
      if file != kept { try file.replace(in: directory) }
      return try TokenKeys(file, path: path)
    }
  }

  /// Puts a new key in front; those before verify for an hour more. For a moment when no handler
  /// runs, since each reads the file once. Throws `KeyFileError`.
  public static func rotate(in directory: String, now: Instant) throws {
    try TokenKeyFile.readOrMake(in: directory).pruned(now: now)
      .rotated(endingOthersAt: now.adding(seconds: afterlife)).replace(in: directory)
  }

  init(_ file: TokenKeyFile, path: String) throws {
    var verifying: [String: Verifying] = [:]
    var first: Signing?
    for kept in file.keys {
      guard let key = try? _RSA.Signing.PrivateKey(derRepresentation: kept.secret),
        key.keySizeInBits >= TokenKey.fewestBits
      else { throw KeyFileError.unreadable(path) }
      if first == nil { first = Signing(id: kept.id, key: key) }
      verifying[kept.id] = Verifying(key: key.publicKey, endsAt: kept.endsAt)
    }
    guard let first else { throw KeyFileError.unreadable(path) }
    signing = first
    self.verifying = verifying
  }

  /// The public key of that name while it verifies.
  func key(_ id: String, now: Instant) -> _RSA.Signing.PublicKey? {
    guard let found = verifying[id], found.endsAt.map({ $0 > now.milliseconds }) ?? true else {
      return nil
    }
    return found.key
  }
}
