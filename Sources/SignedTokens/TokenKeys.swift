import Core
import CryptoExtras
import Foundation
import Secrets

/// The RSA keys with which an instance signs and verifies tokens.
public struct TokenKeys: Sendable {
  /// How long a former signing key still verifies, in s: longer than the lifetime of any token.
  public static let formerKeyLifetime: Int64 = .hours(1)

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

  /// Reads `token-keys.json` in a directory, or creates it at the first start with mode 600.
  /// Several processes that start at once all get the same keys. Removes expired keys, and replaces
  /// a signing key that is too small. Throws `KeyFileError`.
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

  /// Adds a new signing key; the others verify for another hour. No handler may be running, since
  /// each reads the file once. Throws `KeyFileError`.
  public static func rotate(in directory: String, now: Instant) throws {
    try TokenKeyFile.readOrMake(in: directory).pruned(now: now)
      .rotated(endingOthersAt: now.adding(seconds: formerKeyLifetime)).replace(in: directory)
  }

  init(_ file: TokenKeyFile, path: String) throws {
    var verifying: [String: Verifying] = [:]
    var first: Signing?
    for kept in file.keys {
      guard let key = try? _RSA.Signing.PrivateKey(derRepresentation: kept.secret),
        key.keySizeInBits >= TokenKey.minimumBits
      else { throw KeyFileError.unreadable(path) }
      if first == nil { first = Signing(id: kept.id, key: key) }
      verifying[kept.id] = Verifying(key: key.publicKey, endsAt: kept.endsAt)
    }
    guard let first else { throw KeyFileError.unreadable(path) }
    signing = first
    self.verifying = verifying
  }

  /// The public key with an id, while it verifies.
  func key(_ id: String, now: Instant) -> _RSA.Signing.PublicKey? {
    guard let found = verifying[id], found.endsAt.map({ $0 > now.milliseconds }) ?? true else {
      return nil
    }
    return found.key
  }
}
