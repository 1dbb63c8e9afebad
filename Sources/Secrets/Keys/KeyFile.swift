import Foundation

/// A key with the id that is stored in the values encrypted with it.
struct Key: Codable, Equatable {
  static let length = 32

  let id: UInt32
  let secret: Data

  /// A new key. The id is random, so that two servers restored from one backup do not give the same
  /// id to different keys.
  static func random() -> Key {
    Key(id: UInt32.random(in: 1 ... .max), secret: Data(RandomBytes.make(length)))
  }
}

/// The keys of one kind: the current one encrypts, all decrypt.
struct KeySet: Codable, Equatable {
  let current: Key
  let keys: [Key]

  private enum CodingKeys: String, CodingKey {
    case current, keys
  }

  init(current: Key, others: [Key] = []) {
    self.current = current
    keys = [current] + others
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let id = try container.decode(UInt32.self, forKey: .current)
    keys = try container.decode([Key].self, forKey: .keys)
    guard let current = keys.first(where: { $0.id == id }),
      keys.allSatisfy({ $0.secret.count == Key.length }),
      Set(keys.map(\.id)).count == keys.count
    else {
      throw DecodingError.dataCorruptedError(
        forKey: .keys, in: container,
        debugDescription: "the current key is missing, or a key has a wrong length or id")
    }
    self.current = current
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(current.id, forKey: .current)
    try container.encode(keys, forKey: .keys)
  }

  func key(_ id: UInt32) -> Key? {
    keys.first { $0.id == id }
  }

  /// The same keys with another one as the current; nil if it is not among them.
  func withCurrent(_ id: UInt32) -> KeySet? {
    key(id).map { key in KeySet(current: key, others: keys.filter { $0.id != id }) }
  }

  /// The same keys plus a new one that is not current.
  func addingKeys() -> KeySet {
    KeySet(current: current, others: keys.filter { $0.id != current.id } + [.random()])
  }
}

/// The contents of `keys.json`.
struct KeyFile: Codable, Equatable {
  static let name = "keys.json"

  let encryption: KeySet
  let lookup: KeySet
  /// The input of key derivation for single purposes.
  let derivation: Data

  static func random() -> KeyFile {
    KeyFile(
      encryption: KeySet(current: .random()), lookup: KeySet(current: .random()),
      derivation: Data(RandomBytes.make(Key.length)))
  }

  /// Reads the file in a directory. Throws `KeyFileError`.
  static func read(from directory: String) throws -> KeyFile {
    let path = "\(directory)/\(name)"
    let bytes = try SecretFiles.read(path)
    do {
      let file = try JSONDecoder().decode(KeyFile.self, from: Data(bytes))
      guard file.derivation.count == Key.length else { throw KeyFileError.unreadable(path) }
      return file
    } catch {
      throw KeyFileError.unreadable(path)
    }
  }

  /// Replaces the file in a directory. Throws `KeyFileError`.
  func replace(in directory: String) throws {
    try SecretFiles.replace(try encoded(), name: Self.name, in: directory)
  }

  private func encoded() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    return Array(try encoder.encode(self))
  }

  /// Reads the file in a directory, or creates it. Throws `KeyFileError`.
  static func readOrMake(in directory: String) throws -> KeyFile {
    do {
      return try read(from: directory)
    } catch KeyFileError.missing {
      try SecretFiles.makeDirectory(directory)
      try SecretFiles.publish(try random().encoded(), name: name, in: directory)
      return try read(from: directory)
    }
  }
}
