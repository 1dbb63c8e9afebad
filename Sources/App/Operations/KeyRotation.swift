import Accounts
import CheckIn
import Core
import Database
import Mail
import Messages
import Secrets
import SignedTokens
import Web

/// Rotates the keys that encrypt e-mail addresses and other data: `pairspot rotate-keys`
/// (docs/developer/data-protection.md).
///
/// The file gets the new keys first, behind the old ones; then one transaction re-encrypts
/// everything and records the active keys; then the file puts the new keys in front. If it is
/// interrupted at any point, the next start follows the record in the database.
public struct KeyRotation: Sendable {
  /// The reason why keys can't be rotated now.
  public struct Refused: Error, CustomStringConvertible {
    public let description: String
  }

  static let migrations = [
    Migration(
      "app 1: which keys the database was written with",
      """
      CREATE TABLE key_state (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        encryption INTEGER NOT NULL,
        lookup INTEGER NOT NULL
      ) STRICT;
      """)
  ]

  private let instance: Instance

  public init(_ instance: Instance) {
    self.instance = instance
  }

  /// Re-encrypts everything with new keys; returns the number of values. Throws `Refused` while
  /// handlers run: they would look people up by the old keys.
  public func run() throws -> Int {
    let configuration = instance.configuration
    let sockets = (0..<configuration.processes).map(configuration.socketPath)
    guard !sockets.contains(where: ListenerCheck.answers(path:)) else {
      throw Refused(description: "PairSpot is running: stop it before rotating the keys")
    }
    guard try instance.database.otherConnections() == 0 else {
      throw Refused(description: "PairSpot is running on another machine: stop it there as well")
    }
    let (extended, newest) = try prepare()
    let count = try Self.change(instance.database, from: extended, to: newest)
    try Self.finish(extended, newest, in: configuration.secretsFolder)
    // These keys encrypt no stored data, so they are rotated separately, at the end.
    try TokenKeys.rotate(in: configuration.secretsFolder, now: instance.site.clock.now())
    // The last step is not part of the database's transaction.
    withExtendedLifetime(instance.lock) {}
    return count
  }

  /// Step one: adds new keys to the file, not active yet.
  func prepare() throws -> (KeyRing, KeyRing.ActiveKeys) {
    let (extended, newest) = instance.keys.addingKeys()
    try extended.save(in: instance.configuration.secretsFolder)
    return (extended, newest)
  }

  /// Step two: re-encrypts and rehashes everything and records the new keys, in one transaction.
  /// Each module with encrypted data has its line here.
  static func change(
    _ database: Database, from old: KeyRing, to newest: KeyRing.ActiveKeys
  ) throws -> Int {
    guard let new = old.withCurrent(newest) else {
      throw Refused(description: "the new keys are not in the key file")
    }
    return try database.write { writer in
      let count =
        try AccountsModule.reencrypt(from: old, to: new, in: writer)
        + MailQueue.reencrypt(from: old, to: new, in: writer)
        + CheckInModule.reencrypt(from: old, to: new, in: writer)
        + MessagesModule.reencrypt(from: old, to: new, in: writer)
      // The subjects of rate limits can't be recovered from their hashes, so all counts start
      // again, as do stored responses.
      try RateLimitStore.forgetAll(in: writer)
      try IdempotencyStore.forgetAll(in: writer)
      try writer.execute(
        """
        INSERT INTO key_state (id, encryption, lookup)
        VALUES (1, \(Int64(newest.encryption)), \(Int64(newest.lookup)))
        ON CONFLICT (id) DO UPDATE SET encryption = excluded.encryption, lookup = excluded.lookup
        """)
      return count
    }
  }

  /// Step three: makes the file agree with the database.
  static func finish(_ ring: KeyRing, _ newest: KeyRing.ActiveKeys, in folder: String) throws {
    try ring.withCurrent(newest)?.save(in: folder)
  }

  /// Records the keys of the first node that opens a server's database, unless some are recorded: a
  /// node that made keys of its own is refused by `reconcile`, before it writes anything.
  static func recordFirst(_ ring: KeyRing, _ database: Database) throws {
    let isRecorded = try database.read { try $0.exists("SELECT 1 FROM key_state") }
    guard !isRecorded else { return }
    try database.write { writer in
      try writer.execute(
        """
        INSERT INTO key_state (id, encryption, lookup)
        VALUES (1, \(Int64(ring.current.encryption)), \(Int64(ring.current.lookup)))
        ON CONFLICT (id) DO NOTHING
        """)
    }
  }

  /// The key ring with the keys that the database was written with in front; saves the file
  /// likewise. Throws `Refused` if the file lacks those keys.
  static func reconcile(
    _ ring: KeyRing, _ database: Database, in folder: String
  ) throws -> KeyRing {
    let right = try database.read { try Self.ring(ring, $0, in: folder) }
    if right.current != ring.current { try right.save(in: folder) }
    return right
  }

  /// The same without changing the file.
  static func ring(_ ring: KeyRing, _ reader: ReadTransaction, in folder: String) throws -> KeyRing
  {
    let noted = try reader.first("SELECT encryption, lookup FROM key_state WHERE id = 1") {
      KeyRing.ActiveKeys(
        encryption: UInt32(truncatingIfNeeded: try $0.next(Int64.self)),
        lookup: UInt32(truncatingIfNeeded: try $0.next(Int64.self)))
    }
    guard let noted, noted != ring.current else { return ring }
    guard let right = ring.withCurrent(noted) else {
      throw Refused(
        description:
          "\(folder)/keys.json is older than the database, or another node's: restore the "
          + "matching file, and let all nodes share it")
    }
    return right
  }
}
