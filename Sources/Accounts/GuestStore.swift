import Basics
import Database
import Secrets
import Web

/// Guests: people without an address, found by a cookie or by their recovery code.
struct GuestStore {
  let database: Database

  func add(
    _ id: ID<Person>, name: String, language: Language, timeZone: String?, termsVersion: String,
    now: Instant, in writer: Writer
  ) throws {
    try writer.execute(
      """
      INSERT INTO users (id, role, display_name, language, time_zone, terms_version,
        terms_accepted_at, created_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """, id, Role.guest.rawValue, name, language.rawValue, timeZone, termsVersion, now, now)
    try Total.people.count(in: writer)
  }

  /// A new code; the one before stops working.
  func setCode(
    _ code: GuestCode, of guest: ID<Person>, now: Instant, in writer: Writer
  ) throws {
    try writer.execute(
      """
      INSERT INTO guest_codes (user_id, code_hash, made_at) VALUES (?, ?, ?)
      ON CONFLICT (user_id) DO UPDATE SET code_hash = excluded.code_hash,
        made_at = excluded.made_at
      """, guest, hash(code), now)
  }

  /// When the code that works now was made.
  func codeMade(of viewer: Viewer) throws -> Instant? {
    try database.read { reader in
      try reader.first("SELECT made_at FROM guest_codes WHERE user_id = ?", viewer.id) {
        $0.instant(0)
      }
    }
  }

  /// The living guest whom a code belongs to.
  func find(_ code: GuestCode) throws -> ID<Person>? {
    try database.read { try find(code, in: $0) }
  }

  func find(_ code: GuestCode, in reader: Reader) throws -> ID<Person>? {
    try reader.first(
      """
      SELECT u.id FROM guest_codes g JOIN users u ON u.id = g.user_id
      WHERE g.code_hash = ? AND u.role = ? AND u.deleted_at IS NULL
      """, hash(code), Role.guest.rawValue
    ) { try $0.id(0) }
  }

  /// The name of a living guest.
  func name(_ guest: ID<Person>, in reader: Reader) throws -> String? {
    try reader.first(
      "SELECT display_name FROM users WHERE id = ? AND role = ? AND deleted_at IS NULL",
      guest, Role.guest.rawValue
    ) { $0.text(0) }
  }

  /// Makes a guest the member of a registration; false when they are no guest any more.
  func promote(
    _ guest: ID<Person>, to member: NewMember, sealedEmail: [UInt8], emailHash: [UInt8],
    in writer: Writer
  ) throws -> Bool {
    let changed = try writer.execute(
      """
      UPDATE users SET role = ?, email_sealed = ?, email_hash = ?, password_hash = ?,
        terms_version = coalesce(nullif(?, ''), terms_version)
      WHERE id = ? AND role = ? AND deleted_at IS NULL
      """, Role.member.rawValue, sealedEmail, emailHash, member.passwordHash, member.termsVersion,
      guest, Role.guest.rawValue)
    guard changed == 1 else { return false }
    try writer.execute("DELETE FROM guest_codes WHERE user_id = ?", guest)
    // New rights, new sessions (accounts.md, "Sessions").
    try writer.execute("DELETE FROM sessions WHERE user_id = ?", guest)
    try FamilyStore.endAll(of: guest, in: writer)
    return true
  }

  /// 73 random bits need no key; and without one, codes outlive a change of keys.
  private func hash(_ code: GuestCode) -> [UInt8] {
    Digests.sha256(Array("guest \(code.letters)".utf8))
  }
}
