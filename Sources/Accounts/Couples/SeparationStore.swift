import Core
import Database

/// A separation that can still be undone.
struct Separation {
  let couple: ID<Couple>
  let coupleName: String
  let endsAt: Instant
  let undoAskedBy: ID<Person>?
}

/// Separations of couples that can still be undone.
struct SeparationStore {
  /// Freezes the user's active couple; nil if there is none (any more).
  func part(
    _ person: ID<Person>, now: Instant, endsAt: Instant, in writer: WriteTransaction
  ) throws -> ID<Couple>? {
    let couple = try writer.value(
      """
      UPDATE couples SET status = 'frozen', frozen_at = \(now)
      WHERE id = (SELECT couple_id FROM users WHERE id = \(person)) AND status = 'active'
      RETURNING id
      """, as: ID<Couple>.self)
    guard let couple else { return nil }
    try writer.execute(
      "INSERT INTO partings (couple_id, parted_at, ends_at) VALUES (\(couple), \(now), \(endsAt))")
    return couple
  }

  /// The separation of the user's couple while it can be undone.
  func find(of person: ID<Person>, now: Instant, in reader: ReadTransaction) throws -> Separation? {
    try reader.first(
      """
      SELECT p.couple_id, c.name, p.ends_at, p.undo_asked_by
      FROM users u JOIN partings p ON p.couple_id = u.couple_id JOIN couples c ON c.id = u.couple_id
      WHERE u.id = \(person) AND p.ends_at > \(now)
      """
    ) {
      Separation(
        couple: try $0.next(), coupleName: try $0.next(), endsAt: try $0.next(),
        undoAskedBy: try $0.next())
    }
  }

  /// Records which member asks to undo the separation; nil withdraws the request.
  func setAsker(_ person: ID<Person>?, of couple: ID<Couple>, in writer: WriteTransaction) throws {
    try writer.execute("UPDATE partings SET undo_asked_by = \(person) WHERE couple_id = \(couple)")
  }

  /// Makes a frozen couple active again if both members are still in it.
  func undo(_ couple: ID<Couple>, in writer: WriteTransaction) throws -> Bool {
    let undone = try writer.execute(
      """
      UPDATE couples SET status = 'active', frozen_at = NULL
      WHERE id = \(couple) AND status = 'frozen'
        AND (SELECT count(*) FROM users WHERE couple_id = \(couple) AND deleted_at IS NULL) = 2
      """)
    guard undone == 1 else { return false }
    try end(couple, in: writer)
    return true
  }

  /// Ends the undo period.
  func end(_ couple: ID<Couple>, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM partings WHERE couple_id = \(couple)")
  }

  /// The couples whose undo period has expired.
  func due(now: Instant, in reader: ReadTransaction) throws -> [ID<Couple>] {
    try reader.values("SELECT couple_id FROM partings WHERE ends_at <= \(now)")
  }

  func name(of couple: ID<Couple>, in reader: ReadTransaction) throws -> String {
    try reader.value("SELECT name FROM couples WHERE id = \(couple)", as: String.self) ?? ""
  }
}
