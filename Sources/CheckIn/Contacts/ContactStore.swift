import Core
import Database
import Secrets

/// A contact who accepts mail again.
struct AcceptedContact {
  let contact: ID<Contact>
  let state: Contact.State
  let person: ID<Person>
}

/// Stores contacts; addresses are encrypted and found by a keyed hash.
struct ContactStore {
  static let columns: Query =
    """
    id, user_id, name, email_sealed, state, weekly_at, account_id, asked_since IS NOT NULL,
    EXISTS (SELECT 1 FROM contact_channels h
      WHERE h.contact_id = emergency_contacts.id AND h.proven_at IS NOT NULL
        AND h.removed_at IS NULL),
    exercise_at, answered_at
    """

  static let email = EncryptedColumn<Contact>(
    table: "emergency_contacts", owner: "id", column: "email_sealed", hashColumn: "email_hash",
    name: "email")

  let keys: KeyRing

  /// A user's contacts in their order.
  func all(of person: ID<Person>, in reader: ReadTransaction) throws -> [Contact] {
    try reader.rows(
      """
      SELECT \(Self.columns) FROM emergency_contacts
      WHERE user_id = \(person) AND removed_at IS NULL ORDER BY position
      """, make: contact)
  }

  /// Whether a user has a contact. Unlike `all`, it decrypts no address.
  func isAny(of person: ID<Person>, in reader: ReadTransaction) throws -> Bool {
    try reader.exists(
      """
      SELECT 1 FROM emergency_contacts WHERE user_id = \(person) AND removed_at IS NULL LIMIT 1
      """)
  }

  /// One of the user's contacts.
  func find(_ id: ID<Contact>, of person: ID<Person>, in reader: ReadTransaction) throws -> Contact?
  {
    try reader.first(
      """
      SELECT \(Self.columns) FROM emergency_contacts
      WHERE id = \(id) AND user_id = \(person) AND removed_at IS NULL
      """, make: contact)
  }

  /// A contact by ID, for links in mails; removed contacts are found too.
  func find(_ id: ID<Contact>, in reader: ReadTransaction) throws -> Contact? {
    try reader.first(
      "SELECT \(Self.columns) FROM emergency_contacts WHERE id = \(id)", make: contact)
  }

  /// A contact who is this account; removed contacts are found too.
  func find(_ id: ID<Contact>, account: ID<Person>, in reader: ReadTransaction) throws -> Contact? {
    try reader.first(
      """
      SELECT \(Self.columns) FROM emergency_contacts
      WHERE id = \(id) AND account_id = \(account)
      """, make: contact)
  }

  /// Whether the user has removed the contact.
  func isRemoved(_ id: ID<Contact>, in reader: ReadTransaction) throws -> Bool {
    try reader.exists(
      "SELECT 1 FROM emergency_contacts WHERE id = \(id) AND removed_at IS NOT NULL")
  }

  /// Adds a contact after the others; throws `StorageError.duplicate` if the user already has the
  /// address.
  func add(
    _ id: ID<Contact>, of person: ID<Person>, name: String, email: String,
    account: ID<Person>? = nil, now: Instant, in writer: WriteTransaction
  ) throws {
    let hash = keys.lookupHash(email)
    let isRefused = try hasRefused(email, in: writer)
    try writer.execute(
      """
      INSERT INTO emergency_contacts (id, user_id, position, name, email_sealed, email_hash, state,
        added_at, account_id)
      VALUES (\(id), \(person),
        (SELECT coalesce(max(position), 0) + 1 FROM emergency_contacts WHERE user_id = \(person)),
        \(name), \(try Self.email.seal(email, of: id, with: keys)), \(hash),
        \((isRefused ? Contact.State.refused : .pending).rawValue), \(now), \(account))
      """)
  }

  func rename(_ id: ID<Contact>, to name: String, in writer: WriteTransaction) throws {
    try writer.execute("UPDATE emergency_contacts SET name = \(name) WHERE id = \(id)")
  }

  /// Stores the order of a user's contacts.
  func order(_ ids: [ID<Contact>], of person: ID<Person>, in writer: WriteTransaction) throws {
    for (index, id) in ids.enumerated() {
      try writer.execute(
        """
        UPDATE emergency_contacts SET position = \(index + 1)
        WHERE id = \(id) AND user_id = \(person)
        """)
    }
  }

  func setState(_ state: Contact.State, of id: ID<Contact>, in writer: WriteTransaction) throws {
    try writer.execute("UPDATE emergency_contacts SET state = \(state.rawValue) WHERE id = \(id)")
  }

  /// Records that the introduction was sent.
  func wasIntroduced(_ id: ID<Contact>, in writer: WriteTransaction) throws {
    try writer.execute(
      "UPDATE emergency_contacts SET state = 'introduced' WHERE id = \(id) AND state = 'pending'")
  }

  /// Records that mail to the contact bounces; a refusal is kept.
  func bounces(_ id: ID<Contact>, in writer: WriteTransaction) throws {
    try writer.execute(
      "UPDATE emergency_contacts SET state = 'bouncing' WHERE id = \(id) AND state <> 'refused'")
  }

  func setWeekly(_ next: Instant?, of id: ID<Contact>, in writer: WriteTransaction) throws {
    try writer.execute("UPDATE emergency_contacts SET weekly_at = \(next) WHERE id = \(id)")
  }

  /// The contacts whose weekly mail is due.
  func dueWeekly(now: Instant, limit: Int, in reader: ReadTransaction) throws -> [Contact] {
    try reader.rows(
      """
      SELECT \(Self.columns) FROM emergency_contacts
      WHERE weekly_at <= \(now) AND removed_at IS NULL ORDER BY weekly_at LIMIT \(limit)
      """, make: contact)
  }

  // MARK: Exercises

  func exercised(_ id: ID<Contact>, now: Instant, in writer: WriteTransaction) throws {
    try writer.execute("UPDATE emergency_contacts SET exercise_at = \(now) WHERE id = \(id)")
  }

  func answeredExercise(_ id: ID<Contact>, now: Instant, in writer: WriteTransaction) throws {
    try writer.execute("UPDATE emergency_contacts SET answered_at = \(now) WHERE id = \(id)")
  }

  // MARK: Partners

  /// All contacts of any user that are this account, including removed ones.
  func all(withAccount account: ID<Person>, in reader: ReadTransaction) throws -> [Contact] {
    try reader.rows(
      "SELECT \(Self.columns) FROM emergency_contacts WHERE account_id = \(account)", make: contact)
  }

  /// Links a contact to a partner's account, and records since when the user is asked whether they
  /// stay; nil once that is decided.
  func setAccount(
    _ account: ID<Person>?, confirmationRequestedAt: Instant?, of id: ID<Contact>,
    in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      UPDATE emergency_contacts SET account_id = \(account), asked_since = \(confirmationRequestedAt)
      WHERE id = \(id)
      """)
  }

  func setAddress(_ address: String, of id: ID<Contact>, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      UPDATE emergency_contacts
      SET email_sealed = \(try Self.email.seal(address, of: id, with: keys)),
        email_hash = \(keys.lookupHash(address))
      WHERE id = \(id)
      """)
  }

  /// Erases the contacts that refer to a purged account.
  func forget(account: ID<Person>, in writer: WriteTransaction) throws {
    for contact in try all(withAccount: account, in: writer) {
      try erase(contact.id, in: writer)
    }
  }

  // MARK: Changes of ownership

  /// Moves a user's contacts behind those of another user; of two with the same address, one is
  /// kept.
  func move(from: ID<Person>, to other: ID<Person>, in writer: WriteTransaction) throws {
    let own = try all(of: other, in: writer).filter { !$0.isSealed }
    for contact in try all(of: from, in: writer) {
      if let same = own.first(where: { $0.email == contact.email }) {
        // Sent mails stay recorded for the contact that is kept.
        try writer.execute(
          "UPDATE contact_mails SET contact_id = \(same.id) WHERE contact_id = \(contact.id)")
        try writer.execute(
          """
          UPDATE alerts SET reached_by = \(same.id)
          WHERE user_id = \(from) AND reached_by = \(contact.id)
          """)
        try writer.execute(
          "UPDATE contact_channels SET contact_id = \(same.id) WHERE contact_id = \(contact.id)")
        try erase(contact.id, in: writer)
      } else {
        try writer.execute(
          """
          UPDATE emergency_contacts SET user_id = \(other), position =
            (SELECT coalesce(max(position), 0) + 1 FROM emergency_contacts WHERE user_id = \(other))
          WHERE id = \(contact.id)
          """)
      }
    }
    try writer.execute("UPDATE emergency_contacts SET user_id = \(other) WHERE user_id = \(from)")
    try writer.execute("UPDATE contact_channels SET user_id = \(other) WHERE user_id = \(from)")
  }

  // MARK: Keys

  /// An address that cannot be decrypted is treated like one whose mail bounces: the user sees that
  /// it does not count and can still tap, and the other contacts are notified.
  func contact(_ row: inout RowReader) throws -> Contact {
    let (id, person) = (try row.next(ID<Contact>.self), try row.next(ID<Person>.self))
    let (name, sealed) = (try row.next(String.self), try row.next([UInt8].self))
    let email = try? Self.email.open(sealed, of: id, with: keys)
    let state = Contact.State(rawValue: try row.next()) ?? .pending
    return Contact(
      id: id, person: person, name: name, email: email ?? "",
      state: email == nil && state != .refused ? .bouncing : state, weeklyAt: try row.next(),
      account: try row.next(), isAsked: try row.next(), hasChannel: try row.next(),
      exerciseAt: try row.next(), answeredAt: try row.next())
  }
}
