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
  private static let columns =
    "id, user_id, name, email_sealed, state, weekly_at, account_id, asked_since"

  let keys: KeyRing

  /// A user's contacts in their order.
  func all(of person: ID<Person>, in reader: ReadTransaction) throws -> [Contact] {
    try reader.rows(
      """
      SELECT \(Self.columns) FROM emergency_contacts
      WHERE user_id = ? AND removed_at IS NULL ORDER BY position
      """, person, make: contact)
  }

  /// One of the user's contacts.
  func find(_ id: ID<Contact>, of person: ID<Person>, in reader: ReadTransaction) throws -> Contact?
  {
    try reader.first(
      """
      SELECT \(Self.columns) FROM emergency_contacts
      WHERE id = ? AND user_id = ? AND removed_at IS NULL
      """, id, person, make: contact)
  }

  /// A contact by ID, for links in mails. Removed contacts are found as long as an alert that was
  /// sent to them is open.
  func find(_ id: ID<Contact>, in reader: ReadTransaction) throws -> Contact? {
    try reader.first(
      "SELECT \(Self.columns) FROM emergency_contacts WHERE id = ?", id, make: contact)
  }

  /// Whether the contact was removed and is kept only for an alert.
  func isRemoved(_ id: ID<Contact>, in reader: ReadTransaction) throws -> Bool {
    try reader.exists(
      "SELECT 1 FROM emergency_contacts WHERE id = ? AND removed_at IS NOT NULL", id)
  }

  /// Adds a contact after the others; throws `StorageError.duplicate` if the user already has the
  /// address.
  func add(
    _ id: ID<Contact>, of person: ID<Person>, name: String, email: String,
    account: ID<Person>? = nil, now: Instant, in writer: WriteTransaction
  ) throws {
    let hash = keys.lookupHash(email)
    let isRefused = try hasRefused(email, in: writer.reader)
    try writer.execute(
      """
      INSERT INTO emergency_contacts (id, user_id, position, name, email_sealed, email_hash, state,
        added_at, account_id)
      VALUES (?, ?, (SELECT coalesce(max(position), 0) + 1 FROM emergency_contacts
        WHERE user_id = ?), ?, ?, ?, ?, ?, ?)
      """, id, person, person, name, try keys.seal(Array(email.utf8), for: Self.emailContext(id)),
      hash, (isRefused ? Contact.State.refused : .pending).rawValue, now, account)
  }

  func rename(_ id: ID<Contact>, to name: String, in writer: WriteTransaction) throws {
    try writer.execute("UPDATE emergency_contacts SET name = ? WHERE id = ?", name, id)
  }

  /// Stores the order of a user's contacts.
  func order(_ ids: [ID<Contact>], of person: ID<Person>, in writer: WriteTransaction) throws {
    for (index, id) in ids.enumerated() {
      try writer.execute(
        "UPDATE emergency_contacts SET position = ? WHERE id = ? AND user_id = ?", index + 1, id,
        person)
    }
  }

  func setState(_ state: Contact.State, of id: ID<Contact>, in writer: WriteTransaction) throws {
    try writer.execute("UPDATE emergency_contacts SET state = ? WHERE id = ?", state.rawValue, id)
  }

  /// Records that the introduction was sent.
  func wasIntroduced(_ id: ID<Contact>, in writer: WriteTransaction) throws {
    try writer.execute(
      "UPDATE emergency_contacts SET state = 'introduced' WHERE id = ? AND state = 'pending'", id)
  }

  /// Records that mail to the contact bounces; a refusal is kept.
  func bounces(_ id: ID<Contact>, in writer: WriteTransaction) throws {
    try writer.execute(
      "UPDATE emergency_contacts SET state = 'bouncing' WHERE id = ? AND state <> 'refused'", id)
  }

  func setWeekly(_ next: Instant?, of id: ID<Contact>, in writer: WriteTransaction) throws {
    try writer.execute("UPDATE emergency_contacts SET weekly_at = ? WHERE id = ?", next, id)
  }

  /// The contacts whose weekly mail is due.
  func dueWeekly(now: Instant, limit: Int, in reader: ReadTransaction) throws -> [Contact] {
    try reader.rows(
      """
      SELECT \(Self.columns) FROM emergency_contacts
      WHERE weekly_at <= ? AND removed_at IS NULL ORDER BY weekly_at LIMIT ?
      """, now, limit, make: contact)
  }

  // MARK: Partners

  /// All contacts of any user that are this account, including removed ones.
  func all(withAccount account: ID<Person>, in reader: ReadTransaction) throws -> [Contact] {
    try reader.rows(
      "SELECT \(Self.columns) FROM emergency_contacts WHERE account_id = ?", account,
      make: contact)
  }

  /// Links a contact to a partner's account, and records since when the user is asked whether they
  /// stay; nil once that is decided.
  func setAccount(
    _ account: ID<Person>?, askedSince: Instant?, of id: ID<Contact>, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      "UPDATE emergency_contacts SET account_id = ?, asked_since = ? WHERE id = ?", account,
      askedSince, id)
  }

  func setAddress(_ address: String, of id: ID<Contact>, in writer: WriteTransaction) throws {
    try writer.execute(
      "UPDATE emergency_contacts SET email_sealed = ?, email_hash = ? WHERE id = ?",
      try keys.seal(Array(address.utf8), for: Self.emailContext(id)), keys.lookupHash(address), id)
  }

  /// Erases the contacts that refer to a purged account.
  func forget(account: ID<Person>, in writer: WriteTransaction) throws {
    for contact in try all(withAccount: account, in: writer.reader) {
      try erase(contact.id, in: writer)
    }
  }

  // MARK: Removal

  /// Removes a contact; the row is kept while an alert that was sent to them is open.
  func remove(_ id: ID<Contact>, now: Instant, in writer: WriteTransaction) throws {
    let knowsOfAlert = try writer.exists(
      """
      SELECT 1 FROM contact_mails m JOIN alerts a ON a.id = m.alert_id
      WHERE m.contact_id = ? AND a.ended_at IS NULL
      """, id)
    if knowsOfAlert {
      try writer.execute(
        "UPDATE emergency_contacts SET removed_at = ?, weekly_at = NULL WHERE id = ?", now, id)
    } else {
      try erase(id, in: writer)
    }
  }

  /// Erases the contacts that were only kept for an alert of this user.
  func eraseRemoved(of person: ID<Person>, in writer: WriteTransaction) throws {
    let gone = try writer.rows(
      "SELECT id FROM emergency_contacts WHERE user_id = ? AND removed_at IS NOT NULL", person
    ) { try $0.id(0, Contact.self) }
    for id in gone { try erase(id, in: writer) }
  }

  private func erase(_ id: ID<Contact>, in writer: WriteTransaction) throws {
    try writer.execute("UPDATE contact_mails SET contact_id = NULL WHERE contact_id = ?", id)
    try writer.execute(
      """
      UPDATE alerts SET reached_by = NULL
      WHERE reached_by = ? AND user_id = (SELECT user_id FROM emergency_contacts WHERE id = ?)
      """, id, id)
    try writer.execute("DELETE FROM emergency_contacts WHERE id = ?", id)
  }

  /// Moves a user's contacts behind those of another user; of two with the same address, one is
  /// kept.
  func move(from: ID<Person>, to other: ID<Person>, in writer: WriteTransaction) throws {
    let own = try all(of: other, in: writer.reader).filter { !$0.isSealed }
    for contact in try all(of: from, in: writer.reader) {
      if let same = own.first(where: { $0.email == contact.email }) {
        // Sent mails stay recorded for the contact that is kept.
        try writer.execute(
          "UPDATE contact_mails SET contact_id = ? WHERE contact_id = ?", same.id, contact.id)
        try writer.execute(
          "UPDATE alerts SET reached_by = ? WHERE user_id = ? AND reached_by = ?", same.id, from,
          contact.id)
        try erase(contact.id, in: writer)
      } else {
        try writer.execute(
          """
          UPDATE emergency_contacts SET user_id = ?, position =
            (SELECT coalesce(max(position), 0) + 1 FROM emergency_contacts WHERE user_id = ?)
          WHERE id = ?
          """, other, other, contact.id)
      }
    }
    try writer.execute(
      "UPDATE emergency_contacts SET user_id = ? WHERE user_id = ?", other, from)
  }

  // MARK: Refusals

  func hasRefused(_ email: String, in reader: ReadTransaction) throws -> Bool {
    for hash in keys.lookupHashes(email) {
      if try reader.exists("SELECT 1 FROM contact_refusals WHERE email_hash = ?", hash) {
        return true
      }
    }
    return false
  }

  /// Stops mail of this kind to the address for the whole instance; returns the users who have it
  /// as a contact.
  func refuse(_ email: String, now: Instant, in writer: WriteTransaction) throws -> Set<ID<Person>>
  {
    try writer.execute(
      """
      INSERT INTO contact_refusals (email_hash, refused_at) VALUES (?, ?)
      ON CONFLICT (email_hash) DO NOTHING
      """, keys.lookupHash(email), now)
    return try setRefused(email, in: writer)
  }

  /// Withdraws a refusal; returns the affected contacts. Those never introduced because of the
  /// refusal become pending.
  func accept(_ email: String, in writer: WriteTransaction) throws -> [AcceptedContact] {
    var changed: [AcceptedContact] = []
    for hash in keys.lookupHashes(email) {
      try writer.execute("DELETE FROM contact_refusals WHERE email_hash = ?", hash)
      let rows = try writer.rows(
        """
        SELECT c.id, c.user_id, EXISTS (SELECT 1 FROM contact_mails m
          WHERE m.contact_id = c.id AND m.kind = 'introduction')
        FROM emergency_contacts c
        WHERE c.email_hash = ? AND c.state IN ('refused', 'bouncing')
        """, hash
      ) { (try $0.id(0, Contact.self), try $0.id(1, Person.self), $0.flag(2)) }
      for (id, person, isIntroduced) in rows {
        let state: Contact.State = isIntroduced ? .introduced : .pending
        try setState(state, of: id, in: writer)
        changed.append(AcceptedContact(contact: id, state: state, person: person))
      }
    }
    return changed
  }

  private func setRefused(_ email: String, in writer: WriteTransaction) throws -> Set<ID<Person>> {
    var people: Set<ID<Person>> = []
    for hash in keys.lookupHashes(email) {
      people.formUnion(
        try writer.rows(
          """
          UPDATE emergency_contacts SET state = 'refused', weekly_at = NULL
          WHERE email_hash = ? RETURNING user_id
          """, hash
        ) { try $0.id(0) })
    }
    return people
  }

  // MARK: Keys

  /// Re-encrypts and re-hashes the addresses. Refusals are known by their hash alone and stay under
  /// the old lookup key, which the ring still contains.
  static func reencrypt(from old: KeyRing, to new: KeyRing, in writer: WriteTransaction) throws
    -> Int
  {
    let contacts = try writer.rows("SELECT id, email_sealed FROM emergency_contacts") {
      (try $0.id(0, Contact.self), $0.bytes(1))
    }
    for (id, sealed) in contacts {
      let email = try old.open(sealed, for: emailContext(id))
      try writer.execute(
        "UPDATE emergency_contacts SET email_sealed = ?, email_hash = ? WHERE id = ?",
        try new.seal(email, for: emailContext(id)),
        new.lookupHash(String(decoding: email, as: UTF8.self)), id)
    }
    return contacts.count
  }

  static func emailContext(_ id: ID<Contact>) -> AssociatedData {
    AssociatedData(table: "emergency_contacts", row: id, column: "email")
  }

  /// An address that cannot be decrypted is treated like one whose mail bounces: the user sees that
  /// it does not count and can still tap, and the other contacts are notified.
  private func contact(_ row: Row) throws -> Contact {
    let id = try row.id(0, Contact.self)
    let email = (try? keys.open(row.bytes(3), for: Self.emailContext(id))).map {
      String(decoding: $0, as: UTF8.self)
    }
    let state = Contact.State(rawValue: row.text(4)) ?? .pending
    return Contact(
      id: id, person: try row.id(1), name: row.text(2), email: email ?? "",
      state: email == nil && state != .refused ? .bouncing : state,
      weeklyAt: row.optionalInstant(5), account: try row.optionalID(6), isAsked: !row.isNull(7))
  }
}
