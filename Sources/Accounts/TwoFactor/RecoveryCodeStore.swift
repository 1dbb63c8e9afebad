import Core
import Database
import Secrets

/// Recovery codes, stored as salted slow hashes. Old codes have keyed fast hashes of 32 bytes until
/// `rehash` has replaced them.
extension SecondFactorStore {
  private static let fastBytes = 32

  /// Creates and hashes new codes. This is slow, so it must not run in a transaction. Throws 503.
  func newCodes(for person: ID<Person>) throws -> RecoveryCodeSet {
    let codes = RecoveryCode.set()
    return RecoveryCodeSet(
      codes: codes,
      hashes: try slow(codes.map { $0.keyedHash(of: person, keys: keys) }, like: nil))
  }

  /// The possible stored hashes of a typed code; must not run in a transaction either. Throws 503.
  func hashes(of code: RecoveryCode, for person: ID<Person>) throws -> [[UInt8]] {
    let keyed = code.keyedHash(of: person, keys: keys)
    let stored = try database.read { reader in
      try reader.value(
        """
        SELECT code_hash FROM recovery_codes
        WHERE user_id = \(person) AND length(code_hash) > \(Self.fastBytes)
        """, as: [UInt8].self)
    }
    guard let stored else { return [keyed] }
    return [keyed] + (try slow([keyed], like: String(decoding: stored, as: UTF8.self)))
  }

  /// Uses a recovery code up; returns false if it is not an unused code of that user.
  func use(
    recoveryCode hashes: [[UInt8]], of person: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws -> Bool {
    try hashes.contains {
      try writer.execute(
        """
        UPDATE recovery_codes SET used_at = \(now)
        WHERE user_id = \(person) AND code_hash = \($0) AND used_at IS NULL
        """) == 1
    }
  }

  /// Replaces all recovery codes of a user.
  func replaceRecoveryCodes(
    of person: ID<Person>, with set: RecoveryCodeSet, in writer: WriteTransaction
  ) throws {
    try writer.execute("DELETE FROM recovery_codes WHERE user_id = \(person)")
    for hash in set.hashes {
      try writer.execute(
        "INSERT INTO recovery_codes (user_id, code_hash) VALUES (\(person), \(hash))")
    }
  }

  /// Replaces fast hashes of old codes by slow ones, for a few users at a time.
  func rehash() throws {
    let people = try database.read { reader in
      try reader.values(
        "SELECT DISTINCT user_id FROM recovery_codes WHERE length(code_hash) = 32 LIMIT 20",
        as: ID<Person>.self)
    }
    for person in people {
      let old = try database.read { reader in
        try reader.values(
          """
          SELECT code_hash FROM recovery_codes WHERE user_id = \(person) AND length(code_hash) = 32
          """, as: [UInt8].self)
      }
      let new = try slow(old, like: nil)
      try database.write { writer in
        for (before, after) in zip(old, new) {
          try writer.execute(
            """
            UPDATE recovery_codes SET code_hash = \(after)
            WHERE user_id = \(person) AND code_hash = \(before)
            """)
        }
      }
    }
  }

  private func slow(_ keyed: [[UInt8]], like stored: String?) throws -> [[UInt8]] {
    try AccountsEnvironment.mappingBusyTo503 {
      try hasher.hashes(codes: keyed.map { Base64URL.text($0) }, like: stored)
    }.map { Array($0.utf8) }
  }
}
