import Core
import Database
import Secrets

/// A contact who takes mail again.
struct AcceptedContact {
  let contact: ID<Contact>
  let state: Contact.State
  let person: ID<Person>
}

/// Contacts, whose addresses are sealed and found by a keyed hash.
struct ContactStore {
  private static let columns =
    "id, user_id, name, email_sealed, state, weekly_at, account_id, asked_since"

  let keys: KeyRing

  /// A person's contacts in their order.
  func all(of person: ID<Person>, in reader: ReadTransaction) throws -> [Contact] {
    try reader.rows(
      """
      SELECT \(Self.columns) FROM emergency_contacts
      WHERE user_id = ? AND removed_at IS NULL ORDER BY position
      """, person, make: contact)
  }

  /// One of a person's own contacts.
  func find(_ id: ID<Contact>, of person: ID<Person>, in reader: ReadTransaction) throws -> Contact?
  {
    try reader.first(
      """
      SELECT \(Self.columns) FROM emergency_contacts
      WHERE id = ? AND user_id = ? AND removed_at IS NULL
      """, id, person, make: contact)
  }

  /// A contact by who they are: for links in their mail. Whoever was taken off the list is found
  /// for as long as an alert that they know of lasts.
  func find(_ id: ID<Contact>, in reader: ReadTransaction) throws -> Contact? {
    try reader.first(
      "SELECT \(Self.columns) FROM emergency_contacts WHERE id = ?", id, make: contact)
  }

  /// Whether somebody was taken off the list and is kept for an alert only.
  func isRemoved(_ id: ID<Contact>, in reader: ReadTransaction) throws -> Bool {
    try reader.exists(
      "SELECT 1 FROM emergency_contacts WHERE id = ? AND removed_at IS NOT NULL", id)
  }

  /// Adds a contact behind the others; throws `StorageError.duplicate` for an address that the
  /// person has already.
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

  /// Puts the contacts of a person into this order.
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

  /// The introduction went out.
  func wasIntroduced(_ id: ID<Contact>, in writer: WriteTransaction) throws {
    try writer.execute(
      "UPDATE emergency_contacts SET state = 'introduced' WHERE id = ? AND state = 'pending'", id)
  }

  /// Mail to them came back; a refusal of theirs stays one.
  func bounces(_ id: ID<Contact>, in writer: WriteTransaction) throws {
    try writer.execute(
      "UPDATE emergency_contacts SET state = 'bouncing' WHERE id = ? AND state <> 'refused'", id)
  }

  func setWeekly(_ next: Instant?, of id: ID<Contact>, in writer: WriteTransaction) throws {
    try writer.execute("UPDATE emergency_contacts SET weekly_at = ? WHERE id = ?", next, id)
  }

  /// Those whose weekly line is due.
  func dueWeekly(now: Instant, limit: Int, in reader: ReadTransaction) throws -> [Contact] {
    try reader.rows(
      """
      SELECT \(Self.columns) FROM emergency_contacts
      WHERE weekly_at <= ? AND removed_at IS NULL ORDER BY weekly_at LIMIT ?
      """, now, limit, make: contact)
  }

  // MARK: Partners

  /// Every contact that is this person's account, whoever has it, removed ones included.
  func all(withAccount account: ID<Person>, in reader: ReadTransaction) throws -> [Contact] {
    try reader.rows(
      "SELECT \(Self.columns) FROM emergency_contacts WHERE account_id = ?", account,
      make: contact)
  }

  /// Makes a contact the account of a partner, and notes since when its person is asked whether
  /// they stay; nil when that is decided.
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

  /// Removes everything that points at an account which is gone for good.
  func forget(account: ID<Person>, in writer: WriteTransaction) throws {
    for contact in try all(withAccount: account, in: writer.reader) {
      try erase(contact.id, in: writer)
    }
  }

  // MARK: Going

  /// Takes a contact off the list; the row stays while an alert that went to them is open.
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

  /// Erases those who were only kept for an alert of this person.
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

  /// Puts somebody else's contacts behind a person's own; of an address that both have, one stays.
  func move(from: ID<Person>, to other: ID<Person>, in writer: WriteTransaction) throws {
    let own = try all(of: other, in: writer.reader).filter { !$0.isSealed }
    for contact in try all(of: from, in: writer.reader) {
      if let same = own.first(where: { $0.email == contact.email }) {
        // What they were told they know, whoever's contact they are now.
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

  // MARK: Refusing

  func hasRefused(_ email: String, in reader: ReadTransaction) throws -> Bool {
    for hash in keys.lookupHashes(email) {
      if try reader.exists("SELECT 1 FROM contact_refusals WHERE email_hash = ?", hash) {
        return true
      }
    }
    return false
  }

  /// No such mail to this address from anybody here; answers whose contact it is.
  func refuse(_ email: String, now: Instant, in writer: WriteTransaction) throws -> Set<ID<Person>>
  {
    try writer.execute(
      """
      INSERT INTO contact_refusals (email_hash, refused_at) VALUES (?, ?)
      ON CONFLICT (email_hash) DO NOTHING
      """, keys.lookupHash(email), now)
    return try setRefused(email, in: writer)
  }

  /// Takes a refusal back; answers whose contact it is. Who was never introduced to them, since
  /// they were added while it stood, is so now.
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

  /// Seals and hashes the addresses anew; refusals are known by their hash alone and are kept
  /// under the old look-up key, which the ring still holds.
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

  /// An address that cannot be opened is like one whose mail comes back: its person sees that it
  /// counts for nothing, can still tap, and the other contacts are told.
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
