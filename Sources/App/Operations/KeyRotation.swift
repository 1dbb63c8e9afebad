import Accounts
import CheckIn
import Core
import Database
import Mail
import Secrets
import SignedTokens
import Web

/// New keys for e-mail addresses and what else is sealed: `pairspot rotate-keys`
/// (docs/developer/data-protection.md).
///
/// The file gets the new keys first, behind the old ones; then one transaction seals everything
/// anew and notes which keys count; then the file puts them in front. Stopped at any point, the
/// next start believes the note in the database.
public struct KeyRotation: Sendable {
  /// Why keys can't be rotated now.
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

  /// Seals everything with new keys; answers how many values. Throws `Refused` while handlers
  /// run: they would go on looking people up by the old keys.
  public func run() throws -> Int {
    let configuration = instance.configuration
    let sockets = (0..<configuration.processes).map(configuration.socketPath)
    guard !sockets.contains(where: ListenerCheck.answers(path:)) else {
      throw Refused(description: "PairSpot is running: stop it before rotating its keys")
    }
    let (grown, newest) = try prepare()
    let count = try Self.change(instance.database, from: grown, to: newest)
    try Self.finish(grown, newest, in: configuration.secretsFolder)
    // These seal nothing that is stored: apart, and last.
    try TokenKeys.rotate(in: configuration.secretsFolder, now: instance.site.clock.now())
    // The last step is no longer one with the database.
    withExtendedLifetime(instance.lock) {}
    return count
  }

  /// Step one: new keys in the file, not used yet.
  func prepare() throws -> (KeyRing, KeyRing.ActiveKeys) {
    let (grown, newest) = instance.keys.growing()
    try grown.save(in: instance.configuration.secretsFolder)
    return (grown, newest)
  }

  /// Step two: everything sealed and hashed with them, and noted, in one transaction. Each module
  /// that seals has its line here.
  static func change(
    _ database: Database, from old: KeyRing, to newest: KeyRing.ActiveKeys
  ) throws -> Int {
    guard let new = old.led(by: newest) else {
      throw Refused(description: "the new keys are not in the key file")
    }
    return try database.write { writer in
      let count =
        try AccountsModule.reencrypt(from: old, to: new, in: writer)
        + MailQueue.reencrypt(from: old, to: new, in: writer)
        + CheckInModule.reencrypt(from: old, to: new, in: writer)
      // Who is counted can't be read back from a hash; counting begins anew, as does keeping
      // answers.
      try RateLimitStore.forgetAll(in: writer)
      try IdempotencyStore.forgetAll(in: writer)
      try writer.execute(
        """
        INSERT INTO key_state (id, encryption, lookup) VALUES (1, ?, ?)
        ON CONFLICT (id) DO UPDATE SET encryption = excluded.encryption, lookup = excluded.lookup
        """, Int64(newest.encryption), Int64(newest.lookup))
      return count
    }
  }

  /// Step three: the file says the same as the database.
  static func finish(_ ring: KeyRing, _ newest: KeyRing.ActiveKeys, in folder: String) throws {
    try ring.led(by: newest)?.save(in: folder)
  }

  /// The ring as the database was written with, whatever the file puts in front, which then says so
  /// too. Throws `Refused` when the file doesn't hold those keys.
  static func settle(
    _ ring: KeyRing, _ database: Database, in folder: String
  ) throws -> KeyRing {
    let right = try database.read { try Self.ring(ring, $0, in: folder) }
    if right.current != ring.current { try right.save(in: folder) }
    return right
  }

  /// The same, and the file stays as it is.
  static func ring(_ ring: KeyRing, _ reader: ReadTransaction, in folder: String) throws -> KeyRing
  {
    let noted = try reader.first("SELECT encryption, lookup FROM key_state WHERE id = 1") {
      KeyRing.ActiveKeys(
        encryption: UInt32(truncatingIfNeeded: $0.integer(0)),
        lookup: UInt32(truncatingIfNeeded: $0.integer(1)))
    }
    guard let noted, noted != ring.current else { return ring }
    guard let right = ring.led(by: noted) else {
      throw Refused(
        description: "\(folder)/keys.json is older than the database: bring back the right one")
    }
    return right
  }
}
