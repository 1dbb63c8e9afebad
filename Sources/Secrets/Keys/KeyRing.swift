import Core
import Crypto
import Foundation

/// The reason why an encrypted value does not decrypt.
public enum SealError: Error, Equatable, CustomStringConvertible {
  /// Shorter than a key id, a nonce and a tag.
  case tooShort
  /// Encrypted with a key that is not in this ring.
  case unknownKey(UInt32)
  /// Modified, or moved to another row, column or table.
  case changedOrMoved

  public var description: String {
    switch self {
    case .tooShort: "the sealed value is too short"
    case .unknownKey(let id): "the sealed value needs key \(id), which is not in the key file"
    case .changedOrMoved: "the sealed value was changed, or belongs to another row or column"
    }
  }
}

/// The keys of an instance. They are stored outside the database and have ids, so that they can be
/// rotated (docs/developer/data-protection.md).
public struct KeyRing: Sendable {
  private static let idLength = 4
  private static let nonceLength = 12
  private static let tagLength = 16

  private let keys: KeyFile
  /// Keys that were derived before, by their purposes, which are few.
  private let derived = PThreadLocked<[String: [UInt8]]>([:])

  init(_ keys: KeyFile) {
    self.keys = keys
  }

  /// Reads `keys.json` in a directory. Throws `KeyFileError`.
  public static func load(from directory: String) throws -> KeyRing {
    KeyRing(try KeyFile.read(from: directory))
  }

  /// Reads `keys.json` in a directory, or creates both at the first start: the directory with mode
  /// 700, the file with mode 600. Several processes that start at once all get the same keys.
  /// Throws `KeyFileError`.
  public static func loadOrMake(in directory: String) throws -> KeyRing {
    KeyRing(try KeyFile.readOrMake(in: directory))
  }

  /// Whether a directory has a key file.
  public static func isKept(in directory: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(directory)/\(KeyFile.name)")
  }

  /// The ids of the current keys.
  public struct ActiveKeys: Equatable, Sendable {
    public let encryption: UInt32
    public let lookup: UInt32

    public init(encryption: UInt32, lookup: UInt32) {
      self.encryption = encryption
      self.lookup = lookup
    }
  }

  public var current: ActiveKeys {
    ActiveKeys(encryption: keys.encryption.current.id, lookup: keys.lookup.current.id)
  }

  /// The same ring with new keys that are not current yet, and their ids.
  public func addingKeys() -> (ring: KeyRing, newest: ActiveKeys) {
    let extended = KeyFile(
      encryption: keys.encryption.addingKeys(), lookup: keys.lookup.addingKeys(),
      derivation: keys.derivation)
    let newest = ActiveKeys(
      encryption: extended.encryption.keys.last?.id ?? current.encryption,
      lookup: extended.lookup.keys.last?.id ?? current.lookup)
    return (KeyRing(extended), newest)
  }

  /// The same ring with other current keys; nil if it does not have them.
  public func withCurrent(_ current: ActiveKeys) -> KeyRing? {
    guard let encryption = keys.encryption.withCurrent(current.encryption),
      let lookup = keys.lookup.withCurrent(current.lookup)
    else { return nil }
    return KeyRing(
      KeyFile(encryption: encryption, lookup: lookup, derivation: keys.derivation))
  }

  /// Replaces the key file in a directory. Throws `KeyFileError`.
  public func save(in directory: String) throws {
    try keys.replace(in: directory)
  }

  /// Encrypts with AES-256-GCM and the current key. The result has 4 bytes of key id, 12 of nonce,
  /// the ciphertext (as long as the plaintext) and 16 of tag.
  public func seal(_ plaintext: [UInt8], for context: AssociatedData) throws -> [UInt8] {
    let current = keys.encryption.current
    let box = try AES.GCM.seal(
      plaintext, using: SymmetricKey(data: current.secret),
      authenticating: context.associatedData)
    return withUnsafeBytes(of: current.id.bigEndian, Array.init)
      + Array(box.nonce) + Array(box.ciphertext) + Array(box.tag)
  }

  /// Decrypts a value that `seal` made for the same location, with any key of the ring. Throws
  /// `SealError`.
  public func open(_ sealed: [UInt8], for context: AssociatedData) throws(SealError) -> [UInt8] {
    guard sealed.count >= Self.idLength + Self.nonceLength + Self.tagLength else {
      throw .tooShort
    }
    let id = sealed.prefix(Self.idLength).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard let key = keys.encryption.key(id) else { throw .unknownKey(id) }
    do {
      let box = try AES.GCM.SealedBox(combined: sealed.dropFirst(Self.idLength))
      return Array(
        try AES.GCM.open(
          box, using: SymmetricKey(data: key.secret), authenticating: context.associatedData))
    } catch {
      throw .changedOrMoved
    }
  }

  /// Whether a value is encrypted with the current key; if not, it is due for rotation.
  public func isCurrent(_ sealed: [UInt8]) -> Bool {
    sealed.prefix(Self.idLength)
      .elementsEqual(withUnsafeBytes(of: keys.encryption.current.id.bigEndian, Array.init))
  }

  /// The blind index of an encrypted value: HMAC-SHA-256 of its normalised form with the current
  /// lookup key, 32 bytes.
  public func lookupHash(_ normalised: String) -> [UInt8] {
    Digests.hmac(Array(normalised.utf8), key: Array(keys.lookup.current.secret))
  }

  /// The hashes with all lookup keys, the current one first: for searches during a rotation.
  public func lookupHashes(_ normalised: String) -> [[UInt8]] {
    let others = keys.lookup.keys.filter { $0.id != keys.lookup.current.id }
    return ([keys.lookup.current] + others).map {
      Digests.hmac(Array(normalised.utf8), key: Array($0.secret))
    }
  }

  /// A key of 32 bytes for one purpose ("csrf", "cookies"), the same at each start: HKDF-SHA-256
  /// (RFC 5869), so a key of one purpose reveals nothing about another.
  public func derivedKey(purpose: String) -> [UInt8] {
    if let known = derived.withLock({ $0[purpose] }) { return known }
    let key = derive(purpose)
    derived.withLock { $0[purpose] = key }
    return key
  }

  private func derive(_ purpose: String) -> [UInt8] {
    let key = HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: keys.derivation), info: Array(purpose.utf8),
      outputByteCount: 32)
    return key.withUnsafeBytes { Array($0) }
  }
}
