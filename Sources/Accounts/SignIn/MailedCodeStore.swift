import Core
import Database
import Secrets

/// Six-digit codes by mail for reauthentication: ten minutes, one use, five tries, one for each
/// user, bound to the sign-in and the action that asked for it. They are hashed with a key outside
/// the database, since a million tries would find any of them at once.
struct MailedCodeStore {
  /// How long a code works, in s.
  static let lifetime: Int64 = .minutes(10)
  /// The number of wrong tries after which a code becomes invalid.
  static let tries = 5

  let keys: KeyRing

  /// Stores a new code and replaces an earlier one.
  func make(
    for person: ID<Person>, _ binding: CodeBinding, now: Instant, in writer: WriteTransaction
  ) throws -> String {
    var generator = SystemRandomNumberGenerator()
    let number = String(Int.random(in: 0..<1_000_000, using: &generator))
    let code = String(repeating: "0", count: 6 - number.count) + number
    try writer.execute(
      """
      INSERT INTO mailed_codes (user_id, code_hash, expires_at)
      VALUES (\(person), \(hash(code, person, binding)), \(now.adding(seconds: Self.lifetime)))
      ON CONFLICT (user_id) DO UPDATE SET code_hash = excluded.code_hash,
        expires_at = excluded.expires_at, tries = 0
      """)
    return code
  }

  /// Uses a code up; returns false for a wrong one, which counts as a try.
  func use(
    _ code: String, of person: ID<Person>, _ binding: CodeBinding, now: Instant,
    in writer: WriteTransaction
  ) throws -> Bool {
    let isRight =
      try writer.execute(
        """
        DELETE FROM mailed_codes
        WHERE user_id = \(person) AND code_hash = \(hash(code, person, binding))
          AND expires_at > \(now) AND tries < \(Self.tries)
        """) == 1
    if !isRight {
      try writer.execute("UPDATE mailed_codes SET tries = tries + 1 WHERE user_id = \(person)")
    }
    return isRight
  }

  func purge(now: Instant, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM mailed_codes WHERE expires_at <= \(now)")
  }

  private func hash(
    _ code: String, _ person: ID<Person>, _ binding: CodeBinding
  ) -> [UInt8] {
    Digests.hmac(
      person.bytes + Array(code.utf8) + binding.bytes,
      key: keys.derivedKey(purpose: "mailed-codes"))
  }
}
