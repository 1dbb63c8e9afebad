import Core
import CryptoExtras
import Foundation
import Secrets

/// One RSA key with the name by which tokens call it.
struct TokenKey: Codable, Equatable {
  /// The size of new keys: 128 bits of security (NIST SP 800-57, part 1, table 2).
  static let bits = 3072
  /// The size from which kept keys still verify.
  static let fewestBits = 2048

  /// The `kid` of tokens.
  let id: String
  /// PKCS #1, DER.
  let secret: Data
  /// From when on it verifies nothing any more; nil while it signs.
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

/// What `token-keys.json` holds: the key that signs in front, then those that still verify.
///
/// Apart from `keys.json`, because these keys seal nothing that is stored: losing them signs API
/// clients out for the moment of one refresh, and no more.
struct TokenKeyFile: Codable, Equatable {
  static let name = "token-keys.json"

  let keys: [TokenKey]

  static func random() throws -> TokenKeyFile { TokenKeyFile(keys: [try .random()]) }

  /// With a new key in front; those before verify until `moment`.
  func rotated(endingOthersAt moment: Instant) throws -> TokenKeyFile {
    TokenKeyFile(keys: [try .random()] + keys.map { $0.ending(at: moment) })
  }

  /// Without the keys that verify nothing any more.
  func pruned(now: Instant) -> TokenKeyFile {
    TokenKeyFile(keys: keys.filter { $0.verifies(at: now) })
  }

  /// Throws `KeyFileError`.
  static func read(from directory: String) throws -> TokenKeyFile {
    let path = "\(directory)/\(name)"
    let bytes = try SecretFiles.read(path)
    guard let file = try? JSONDecoder().decode(TokenKeyFile.self, from: Data(bytes)),
      let first = file.keys.first, first.endsAt == nil,
      Set(file.keys.map(\.id)).count == file.keys.count
    else { throw KeyFileError.unreadable(path) }
    return file
  }

  /// Reads the file, or makes it: of several processes that start at once the first one's stays.
  /// Throws `KeyFileError`.
  static func readOrMake(in directory: String) throws -> TokenKeyFile {
    do {
      return try read(from: directory)
    } catch KeyFileError.missing {
      try SecretFiles.makeDirectory(directory)
      try SecretFiles.publish(try random().encoded(), name: name, in: directory)
      return try read(from: directory)
    }
  }

  /// With a new key in front where the signing key is smaller than new keys are; nil where it isn't.
  func strengthened(now: Instant) throws -> TokenKeyFile? {
    guard let first = keys.first,
      let key = try? _RSA.Signing.PrivateKey(derRepresentation: first.secret),
      key.keySizeInBits < TokenKey.bits
    else { return nil }
    return try rotated(endingOthersAt: now.adding(seconds: TokenKeys.afterlife))
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
