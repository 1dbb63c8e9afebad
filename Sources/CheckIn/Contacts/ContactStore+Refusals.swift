import Core
import Database

/// Addresses that want no such mail.
extension ContactStore {
  func hasRefused(_ email: String, in reader: ReadTransaction) throws -> Bool {
    for hash in keys.lookupHashes(email) {
      if try reader.exists("SELECT 1 FROM contact_refusals WHERE email_hash = \(hash)") {
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
      INSERT INTO contact_refusals (email_hash, refused_at)
      VALUES (\(keys.lookupHash(email)), \(now))
      ON CONFLICT (email_hash) DO NOTHING
      """)
    return try setRefused(email, in: writer)
  }

  /// Withdraws a refusal; returns the affected contacts. Those never introduced because of the
  /// refusal become pending.
  func accept(_ email: String, in writer: WriteTransaction) throws -> [AcceptedContact] {
    var changed: [AcceptedContact] = []
    for hash in keys.lookupHashes(email) {
      try writer.execute("DELETE FROM contact_refusals WHERE email_hash = \(hash)")
      let rows = try writer.rows(
        """
        SELECT c.id, c.user_id, EXISTS (SELECT 1 FROM contact_mails m
          WHERE m.contact_id = c.id AND m.kind = 'introduction')
        FROM emergency_contacts c
        WHERE c.email_hash = \(hash) AND c.state IN ('refused', 'bouncing')
        """
      ) { (try $0.next(ID<Contact>.self), try $0.next(ID<Person>.self), try $0.next(Bool.self)) }
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
        try writer.values(
          """
          UPDATE emergency_contacts SET state = 'refused', weekly_at = NULL
          WHERE email_hash = \(hash) RETURNING user_id
          """))
    }
    return people
  }
}
