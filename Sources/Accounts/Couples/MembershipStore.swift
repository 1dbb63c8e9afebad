import Core
import Database

/// A member's status before pairing.
struct Membership {
  let name: String
  let couple: ID<Couple>?
  let status: CoupleStatus?

  /// Whether the member may pair: not in an active couple and not in a pending one.
  var mayPair: Bool { status == nil || status == .single || status == .frozen }
}

/// A couple that a user has left.
struct FormerCouple {
  let id: ID<Couple>
  let name: String
}

/// Joining and leaving couples. `couple_members` has the history; `users.couple_id` is the current
/// couple, so no user is in two.
struct MembershipStore {
  /// Nil if the user is not a member or is deleted.
  func of(_ person: ID<Person>, in reader: ReadTransaction) throws -> Membership? {
    try reader.first(
      """
      SELECT u.display_name, c.id, c.status FROM users u
      LEFT JOIN couples c ON c.id = u.couple_id
      WHERE u.id = \(person) AND u.role >= \(Role.member.rawValue) AND u.deleted_at IS NULL
      """
    ) {
      Membership(
        name: try $0.next(), couple: try $0.next(),
        status: try $0.next(String?.self).map { CoupleStatus(rawValue: $0) ?? .frozen })
    }
  }

  /// The current members of a couple, including deleted ones, in the order of their sides.
  func people(in couple: ID<Couple>, _ reader: ReadTransaction) throws -> [ID<Person>] {
    try reader.values("SELECT id FROM users WHERE couple_id = \(couple) ORDER BY couple_side")
  }

  /// Adds a user to a couple. Returns false if the user is in another one.
  func enter(
    _ couple: ID<Couple>, side: Int, person: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws -> Bool {
    let entered = try writer.execute(
      """
      UPDATE users SET couple_id = \(couple), couple_side = \(side)
      WHERE id = \(person) AND couple_id IS NULL
      """)
    guard entered == 1 else { return false }
    // Leaving and joining within one ms would produce the same row.
    try writer.execute(
      """
      INSERT INTO couple_members (couple_id, user_id, joined_at)
      VALUES (\(couple), \(person), \(now))
      ON CONFLICT (couple_id, user_id, joined_at) DO UPDATE SET left_at = NULL
      """)
    return true
  }

  /// Removes a user from their current couple; their posts stay in it.
  func leave(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    try writer.execute(
      "UPDATE couple_members SET left_at = \(now) WHERE user_id = \(person) AND left_at IS NULL")
    try writer.execute("UPDATE users SET couple_id = NULL, couple_side = NULL WHERE id = \(person)")
  }

  /// Returns a user without a couple to their earlier couple of one, if there was one: it has their
  /// own posts.
  func returnToOwnCouple(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    let own = try writer.value(
      """
      SELECT m.couple_id FROM couple_members m JOIN couples c ON c.id = m.couple_id
      WHERE m.user_id = \(person) AND c.status = 'single'
        AND NOT EXISTS (
          SELECT 1 FROM couple_members o WHERE o.couple_id = c.id AND o.user_id <> m.user_id)
      ORDER BY m.joined_at DESC LIMIT 1
      """, as: ID<Couple>.self)
    guard let own else { return }
    _ = try enter(own, side: 1, person: person, now: now, in: writer)
  }

  /// Creates a couple of one for a user without a couple, as the first post does.
  func standAlone(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    let couple = ID<Couple>(now: now)
    let made = try writer.execute(
      """
      INSERT INTO couples (id, name, anniversary, status, created_at)
      SELECT \(couple), display_name, NULL, 'single', \(now) FROM users
      WHERE id = \(person) AND couple_id IS NULL
      """)
    if made == 1 { _ = try enter(couple, side: 1, person: person, now: now, in: writer) }
  }

  /// The couples that a user has left, the latest first.
  func former(of person: ID<Person>, in reader: ReadTransaction) throws -> [FormerCouple] {
    try reader.rows(
      """
      SELECT c.id, c.name FROM couple_members m JOIN couples c ON c.id = m.couple_id
      WHERE m.user_id = \(person)
        AND c.id IS DISTINCT FROM (SELECT couple_id FROM users WHERE id = \(person))
      GROUP BY c.id ORDER BY max(m.joined_at) DESC
      """
    ) { FormerCouple(id: try $0.next(), name: try $0.next()) }
  }
}
