import Basics
import Database
import Secrets

/// Six digits by mail, to ask a member again who they are: ten minutes, one use, one a person.
/// Hashed with a key outside the database, where a million tries would find them at once.
struct MailedCodeStore {
  /// How long a code works, in s.
  static let lifetime: Int64 = .minutes(10)

  let keys: KeyRing

  /// Keeps a new code in the place of an older one.
  func make(for person: ID<Person>, now: Instant, in writer: Writer) throws -> String {
    var generator = SystemRandomNumberGenerator()
    let number = String(Int.random(in: 0..<1_000_000, using: &generator))
    let code = String(repeating: "0", count: 6 - number.count) + number
    try writer.execute(
      """
      INSERT INTO mailed_codes (user_id, code_hash, expires_at) VALUES (?, ?, ?)
      ON CONFLICT (user_id) DO UPDATE SET code_hash = excluded.code_hash,
        expires_at = excluded.expires_at
      """, person, hash(code, person), now.adding(seconds: Self.lifetime))
    return code
  }

  /// Uses a code up; false when it is not the one.
  func use(
    _ code: String, of person: ID<Person>, now: Instant, in writer: Writer
  ) throws -> Bool {
    try writer.execute(
      "DELETE FROM mailed_codes WHERE user_id = ? AND code_hash = ? AND expires_at > ?", person,
      hash(code, person), now) == 1
  }

  func purge(now: Instant, in writer: Writer) throws {
    try writer.execute("DELETE FROM mailed_codes WHERE expires_at <= ?", now)
  }

  private func hash(_ code: String, _ person: ID<Person>) -> [UInt8] {
    Digests.hmac(
      person.bytes + Array(code.utf8), key: keys.derivedKey(purpose: "mailed-codes"))
  }
}
