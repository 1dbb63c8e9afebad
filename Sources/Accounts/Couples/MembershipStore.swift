import Core
import Database

/// Where a member stands before a pairing.
struct Membership {
  let name: String
  let couple: ID<Couple>?
  let status: CoupleStatus?

  /// Whether they may pair: nobody who is in a couple of two, or waits for their second.
  var mayPair: Bool { status == nil || status == .single || status == .frozen }
}

/// A couple that somebody was in.
struct FormerCouple {
  let id: ID<Couple>
  let name: String
}

/// Who goes into which couple and leaves it. `couple_members` keeps all of it; `users.couple_id`
/// says where somebody is now, so that nobody is in two.
struct MembershipStore {
  /// Nil for who isn't a living member.
  func of(_ person: ID<Person>, in reader: ReadTransaction) throws -> Membership? {
    try reader.first(
      """
      SELECT u.display_name, c.id, c.status FROM users u
      LEFT JOIN couples c ON c.id = u.couple_id
      WHERE u.id = ? AND u.role >= ? AND u.deleted_at IS NULL
      """, person, Role.member.rawValue
    ) {
      Membership(
        name: $0.text(0), couple: try $0.optionalID(1),
        status: $0.optionalText(2).map { CoupleStatus(rawValue: $0) ?? .frozen })
    }
  }

  /// The people who are in a couple now, deleted ones included, in the order of their sides.
  func people(in couple: ID<Couple>, _ reader: ReadTransaction) throws -> [ID<Person>] {
    try reader.rows("SELECT id FROM users WHERE couple_id = ? ORDER BY couple_side", couple) {
      try $0.id(0)
    }
  }

  /// Puts somebody into a couple. False when they are in another one.
  func enter(
    _ couple: ID<Couple>, side: Int, person: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws -> Bool {
    let entered = try writer.execute(
      "UPDATE users SET couple_id = ?, couple_side = ? WHERE id = ? AND couple_id IS NULL",
      couple, side, person)
    guard entered == 1 else { return false }
    // Leaving and coming back within one ms would be the same row.
    try writer.execute(
      """
      INSERT INTO couple_members (couple_id, user_id, joined_at) VALUES (?, ?, ?)
      ON CONFLICT (couple_id, user_id, joined_at) DO UPDATE SET left_at = NULL
      """, couple, person, now)
    return true
  }

  /// Takes somebody out of the couple they are in; their posts stay in it.
  func leave(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    try writer.execute(
      "UPDATE couple_members SET left_at = ? WHERE user_id = ? AND left_at IS NULL", now, person)
    try writer.execute(
      "UPDATE users SET couple_id = NULL, couple_side = NULL WHERE id = ?", person)
  }

  /// Brings who is in no couple back into the couple of one that they had before, if there was
  /// one: there are their own posts.
  func goBackAlone(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    let own = try writer.first(
      """
      SELECT m.couple_id FROM couple_members m JOIN couples c ON c.id = m.couple_id
      WHERE m.user_id = ? AND c.status = 'single'
        AND NOT EXISTS (
          SELECT 1 FROM couple_members o WHERE o.couple_id = c.id AND o.user_id <> m.user_id)
      ORDER BY m.joined_at DESC LIMIT 1
      """, person
    ) { try $0.id(0, Couple.self) }
    guard let own else { return }
    _ = try enter(own, side: 1, person: person, now: now, in: writer)
  }

  /// Makes a couple of one for somebody who is in none, as posting does.
  func standAlone(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    let couple = ID<Couple>(now: now)
    let made = try writer.execute(
      """
      INSERT INTO couples (id, name, anniversary, status, created_at)
      SELECT ?, display_name, NULL, 'single', ? FROM users WHERE id = ? AND couple_id IS NULL
      """, couple, now, person)
    if made == 1 { _ = try enter(couple, side: 1, person: person, now: now, in: writer) }
  }

  /// The couples that somebody has left, the latest first.
  func former(of person: ID<Person>, in reader: ReadTransaction) throws -> [FormerCouple] {
    try reader.rows(
      """
      SELECT c.id, c.name FROM couple_members m JOIN couples c ON c.id = m.couple_id
      WHERE m.user_id = ? AND c.id IS NOT (SELECT couple_id FROM users WHERE id = ?)
      GROUP BY c.id ORDER BY max(m.joined_at) DESC
      """, person, person
    ) { FormerCouple(id: try $0.id(0), name: $0.text(1)) }
  }
}
