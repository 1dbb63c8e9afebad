import Core
import Database

/// Deleted accounts, and what restoring gives back (docs/developer/deletion-and-export.md).
struct DeletionStore {
  /// How long an account can be restored, in s.
  static let grace: Int64 = .days(30)

  let database: Database

  // MARK: Deleting

  /// Hides a user; returns false if they are hidden already.
  func hide(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws -> Bool {
    try writer.execute(
      "UPDATE users SET deleted_at = \(now) WHERE id = \(person) AND deleted_at IS NULL") == 1
  }

  /// Ends all mailed links and the registrations that wait for another user.
  func endLinks(of person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM verification_tokens WHERE user_id = \(person)")
    try removeRegistrations(
      try writer.values(
        "SELECT registration_id FROM registration_sides WHERE user_id = \(person)",
        as: ID<Registration>.self), in: writer)
  }

  /// Removes registrations from before a moment that have this address on either side.
  func removeRegistrations(
    emailHash: [UInt8], until moment: Instant, in writer: WriteTransaction
  ) throws {
    try removeRegistrations(
      try writer.values(
        """
        SELECT r.id FROM registration_sides s JOIN registrations r ON r.id = s.registration_id
        WHERE s.email_hash = \(emailHash) AND r.created_at <= \(moment)
        """, as: ID<Registration>.self), in: writer)
  }

  private func removeRegistrations(_ ids: [ID<Registration>], in writer: WriteTransaction) throws {
    for id in ids { try writer.execute("DELETE FROM registrations WHERE id = \(id)") }
  }

  /// Removes a user from their couple and stores their place in it; the partner is `single` from
  /// then on (docs/developer/product.md#deleted-partners). A pending couple is dissolved. Returns
  /// the paths of files to remove.
  func leaveCouple(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws
    -> [String]
  {
    let place = try writer.first(
      """
      SELECT c.id, u.couple_side, c.status, c.anniversary
      FROM users u JOIN couples c ON c.id = u.couple_id WHERE u.id = \(person)
      """
    ) { row in
      (
        couple: try row.next(ID<Couple>.self), side: try row.next(Int.self),
        status: CoupleStatus(rawValue: try row.next()), anniversary: try row.next(LocalDay?.self)
      )
    }
    guard let place else { return [] }
    try writer.execute("UPDATE users SET couple_id = NULL, couple_side = NULL WHERE id = \(person)")
    if place.status == .pending {
      try writer.execute(
        "DELETE FROM couple_members WHERE couple_id = \(place.couple) AND user_id = \(person)")
      return try removeIfUnused(place.couple, in: writer)
    }
    try writer.execute(
      """
      INSERT INTO deletions (user_id, couple_id, couple_side, anniversary)
      VALUES (\(person), \(place.couple), \(place.side),
        \(place.status == .active ? place.anniversary : nil))
      """)
    try writer.execute(
      """
      UPDATE couple_members SET left_at = \(now)
      WHERE couple_id = \(place.couple) AND user_id = \(person) AND left_at IS NULL
      """)
    try writer.execute(
      """
      UPDATE couples SET status = 'single', anniversary = NULL
      WHERE id = \(place.couple) AND status = 'active'
      """)
    return []
  }

  /// Removes a couple that has no members, never had any, and to which no deleted user can return.
  /// Returns the paths of its picture.
  func removeIfUnused(_ couple: ID<Couple>, in writer: WriteTransaction) throws -> [String] {
    for statement in [
      "SELECT 1 FROM users WHERE couple_id = \(couple) LIMIT 1",
      "SELECT 1 FROM deletions WHERE couple_id = \(couple) LIMIT 1",
      // Former members may have left posts.
      "SELECT 1 FROM couple_members WHERE couple_id = \(couple) LIMIT 1",
    ] as [Query] where try writer.exists(statement) {
      return []
    }
    try writer.execute("UPDATE registrations SET couple_id = NULL WHERE couple_id = \(couple)")
    try writer.execute("DELETE FROM partings WHERE couple_id = \(couple)")
    let avatar = try writer.value(
      "DELETE FROM couples WHERE id = \(couple) RETURNING avatar", as: String?.self)
    return AvatarFiles.paths(thumbPath: avatar ?? nil)
  }

  // MARK: Restoring

  /// Deleted accounts with this address that can still be restored, the latest first.
  func credentials(emailHash: [UInt8], now: Instant) throws -> [Credentials] {
    try database.read { reader in
      try reader.rows(
        """
        SELECT id, role, password_hash, language, deleted_at FROM users
        WHERE email_hash = \(emailHash) AND deleted_at > \(now.adding(seconds: -Self.grace))
        ORDER BY deleted_at DESC LIMIT 3
        """
      ) {
        Credentials(
          id: try $0.next(), role: Role(rawValue: try $0.next()) ?? .guest,
          passwordHash: try $0.next(),
          language: try $0.next(String?.self).flatMap(Language.init(rawValue:)),
          deletedAt: try $0.next())
      }
    }
  }

  /// An account that was deleted at exactly this moment and can still be restored.
  struct PendingRestore {
    let role: Role
    let name: String
    /// Whether another account has the address by now.
    let isTaken: Bool
  }

  func returning(
    _ person: ID<Person>, deletedAt: Instant, now: Instant, in reader: ReadTransaction
  ) throws -> PendingRestore? {
    try reader.first(
      """
      SELECT u.role, u.display_name, EXISTS (
        SELECT 1 FROM users o WHERE o.email_hash = u.email_hash AND o.deleted_at IS NULL)
      FROM users u WHERE u.id = \(person) AND u.deleted_at = \(deletedAt)
        AND u.deleted_at > \(now.adding(seconds: -Self.grace))
      """
    ) {
      PendingRestore(
        role: Role(rawValue: try $0.next()) ?? .guest, name: try $0.next(), isTaken: try $0.next())
    }
  }

  /// Shows a user again, in their former place if it is still free.
  func show(
    _ person: ID<Person>, deletedAt: Instant, now: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute("UPDATE users SET deleted_at = NULL WHERE id = \(person)")
    let place = try writer.first(
      """
      DELETE FROM deletions WHERE user_id = \(person) RETURNING couple_id, couple_side, anniversary
      """
    ) { row in
      (
        couple: try row.next(ID<Couple>?.self), side: try row.next(Int.self),
        anniversary: try row.next(LocalDay?.self)
      )
    }
    guard let place, let couple = place.couple else { return }
    let isTaken = try writer.exists(
      "SELECT 1 FROM users WHERE couple_id = \(couple) AND couple_side = \(place.side)")
    // A separation that became final in the meantime leaves no couple to return to either.
    let isOver = try writer.exists(
      """
      SELECT 1 FROM couples c WHERE c.id = \(couple) AND c.status = 'frozen'
        AND NOT EXISTS (SELECT 1 FROM partings p WHERE p.couple_id = c.id)
      """)
    if isTaken || isOver {
      try MembershipStore().returnToOwnCouple(person, now: now, in: writer)
      return
    }
    try writer.execute(
      "UPDATE users SET couple_id = \(couple), couple_side = \(place.side) WHERE id = \(person)")
    try writer.execute(
      """
      UPDATE couple_members SET left_at = NULL
      WHERE couple_id = \(couple) AND user_id = \(person) AND left_at = \(deletedAt)
      """)
    try reunite(couple, anniversary: place.anniversary, in: writer)
  }

  /// Makes the couple active again if both members are there. Until then the anniversary stays
  /// stored with the deleted member.
  private func reunite(
    _ couple: ID<Couple>, anniversary: LocalDay?, in writer: WriteTransaction
  ) throws {
    let members = try writer.count("SELECT count(*) FROM users WHERE couple_id = \(couple)")
    if members == 2 {
      try writer.execute(
        """
        UPDATE couples SET status = 'active', anniversary = coalesce(anniversary, \(anniversary))
        WHERE id = \(couple) AND status = 'single'
        """)
    } else {
      try writer.execute(
        """
        UPDATE deletions SET anniversary = coalesce(anniversary, \(anniversary))
        WHERE couple_id = \(couple)
        """)
    }
  }

  // MARK: Purging

  /// Some of the users whose time to restore is over.
  func due(now: Instant, limit: Int) throws -> [ID<Person>] {
    try database.read { reader in
      try reader.values(
        """
        SELECT id FROM users WHERE deleted_at <= \(now.adding(seconds: -Self.grace))
        ORDER BY deleted_at LIMIT \(limit)
        """)
    }
  }

  /// Whether a user is still to be purged: they may have restored their account just now.
  func isDue(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws -> Bool {
    try writer.exists(
      """
      SELECT 1 FROM users WHERE id = \(person) AND deleted_at <= \(now.adding(seconds: -Self.grace))
      """)
  }
}
