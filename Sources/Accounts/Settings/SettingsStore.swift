import Core
import Database
import Secrets

/// Settings of users.
struct SettingsStore {
  let database: Database
  let keys: KeyRing

  /// A user's address; nil if there is none.
  func address(of person: ID<Person>, in reader: ReadTransaction) throws -> String? {
    let sealed = try reader.value(
      "SELECT email_sealed FROM users WHERE id = \(person)", as: [UInt8]?.self)
    guard let sealed = sealed ?? nil else { return nil }
    return try PersonStore.email.open(sealed, of: person, with: keys)
  }

  /// The member with this address, unless deleted.
  func holder(emailHash: [UInt8], in writer: WriteTransaction) throws -> ID<Person>? {
    try writer.value(
      "SELECT id FROM users WHERE email_hash = \(emailHash) AND deleted_at IS NULL",
      as: ID<Person>.self)
  }

  func setAddress(_ address: String, of person: ID<Person>, in writer: WriteTransaction) throws {
    let sealed = try PersonStore.email.seal(address, of: person, with: keys)
    try writer.execute(
      """
      UPDATE users SET email_sealed = \(sealed), email_hash = \(keys.lookupHash(address))
      WHERE id = \(person)
      """)
    try writer.execute(
      "UPDATE provider_identities SET mail_stopped_at = NULL WHERE user_id = \(person)")
  }

  /// Sets a user's name. A couple of one that still has the old name is renamed too.
  static func rename(_ person: ID<Person>, to name: String, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      UPDATE couples SET name = \(name)
      WHERE status = 'single' AND name = (SELECT display_name FROM users WHERE id = \(person))
        AND id IN (SELECT couple_id FROM couple_members WHERE user_id = \(person))
      """)
    try writer.execute("UPDATE users SET display_name = \(name) WHERE id = \(person)")
  }

  /// Removes a user's picture; returns its path.
  func removeAvatar(of person: ID<Person>, in writer: WriteTransaction) throws -> String? {
    let before = try writer.value("SELECT avatar FROM users WHERE id = \(person)", as: String?.self)
    try writer.execute("UPDATE users SET avatar = NULL WHERE id = \(person)")
    return before ?? nil
  }

  func setLanguage(_ language: Language, of person: ID<Person>, in writer: WriteTransaction) throws
  {
    try writer.execute("UPDATE users SET language = \(language.rawValue) WHERE id = \(person)")
  }

  func setPreferences(
    language: Language, theme: Theme, units: LengthUnits, of person: ID<Person>,
    in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      UPDATE users SET language = \(language.rawValue), theme = \(theme.rawValue),
        units = \(units.rawValue)
      WHERE id = \(person)
      """)
  }
}
