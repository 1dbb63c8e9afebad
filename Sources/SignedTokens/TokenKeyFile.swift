import Core
import CryptoExtras
import Foundation
import Secrets

/// An RSA key with its key id.
struct TokenKey: Codable, Equatable {
  /// The size of new keys: 128 bits of security (NIST SP 800-57, part 1, table 2).
  static let bits = 3072
  /// The minimum size of existing keys.
  static let minimumBits = 2048

  /// The `kid` of tokens.
  let id: String
  /// The private key in PKCS #1, DER.
  let secret: Data
  /// The end of verification, in ms since 1970; nil for the signing key.
  let endsAt: Int64?

  static func random() throws -> TokenKey {
    let key = try _RSA.Signing.PrivateKey(keySize: .init(bitCount: bits))
    return TokenKey(
      id: Base64URL.text(RandomBytes.make(9)), secret: key.derRepresentation, endsAt: nil)
  }

  func ending(at moment: Instant) -> TokenKey {
    TokenKey(id: id, secret: secret, endsAt: endsAt ?? moment.milliseconds)
  }

  func verifies(at moment: Instant) -> Bool { endsAt.map { $0 > moment.milliseconds } ?? true }
}

/// The contents of `token-keys.json`: the signing key first, then those that still verify.
///
/// Separate from `keys.json`, because these keys encrypt no stored value: if they are lost, API
/// clients only have to refresh once.
struct TokenKeyFile: Codable, Equatable {
  static let name = "token-keys.json"

  let keys: [TokenKey]

  static func random() throws -> TokenKeyFile { TokenKeyFile(keys: [try .random()]) }

  /// The keys with a new one in front; the others verify until `moment`.
  func rotated(endingOthersAt moment: Instant) throws -> TokenKeyFile {
    TokenKeyFile(keys: [try .random()] + keys.map { $0.ending(at: moment) })
  }

  /// The keys without the expired ones.
  func pruned(now: Instant) -> TokenKeyFile {
    TokenKeyFile(keys: keys.filter { $0.verifies(at: now) })
  }

  /// Reads the file in a directory. Throws `KeyFileError`.
  static func read(from directory: String) throws -> TokenKeyFile {
    let path = "\(directory)/\(name)"
    let bytes = try SecretFiles.read(path)
    guard let file = try? JSONDecoder().decode(TokenKeyFile.self, from: Data(bytes)),
      let first = file.keys.first, first.endsAt == nil,
      Set(file.keys.map(\.id)).count == file.keys.count
    else { throw KeyFileError.unreadable(path) }
    return file
  }

  /// Reads the file or creates it; if several processes start at once, the first one's file is
  /// kept. Throws `KeyFileError`.
  static func readOrMake(in directory: String) throws -> TokenKeyFile {
    do {
      return try read(from: directory)
    } catch KeyFileError.missing {
      try SecretFiles.makeDirectory(directory)
      try SecretFiles.publish(try random().encoded(), name: name, in: directory)
      return try read(from: directory)
    }
  }

  /// The keys with a new one in front if the signing key is smaller than new keys; nil otherwise.
  func strengthened(now: Instant) throws -> TokenKeyFile? {
    guard let first = keys.first,
      let key = try? _RSA.Signing.PrivateKey(derRepresentation: first.secret),
      key.keySizeInBits < TokenKey.bits
    else { return nil }
    return try rotated(endingOthersAt: now.adding(seconds: TokenKeys.formerKeyLifetime))
  }

  func replace(in directory: String) throws {
    try SecretFiles.replace(try encoded(), name: Self.name, in: directory)
  }

  private func encoded() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    return Array(try encoder.encode(self))
  }
}
