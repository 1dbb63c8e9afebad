import Core
import Database

/// Keeps who lets the partner see their workouts, and cheers. Every query is for one user.
struct PartnerWorkoutsStore: Sendable {
  /// Whether the user lets the present partner see their workouts.
  func isShared(by person: ID<Person>, in reader: ReadTransaction) throws -> Bool {
    try reader.exists(
      """
      SELECT 1 FROM workout_viewers v JOIN couples_together o ON o.user_id = v.user_id
      WHERE v.user_id = \(person) AND o.couple_id =
        (SELECT t.couple_id FROM couples_together t WHERE t.user_id = v.partner_id)
      """)
  }

  /// The partner who lets this user see their workouts, while the two are together.
  func owner(for viewer: ID<Person>, in reader: ReadTransaction) throws -> ID<Person>? {
    try reader.value(
      """
      SELECT v.user_id FROM workout_viewers v JOIN couples_together o ON o.user_id = v.user_id
      WHERE v.partner_id = \(viewer) AND o.couple_id =
        (SELECT t.couple_id FROM couples_together t WHERE t.user_id = v.partner_id)
      """)
  }

  func share(of person: ID<Person>, with partner: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      INSERT INTO workout_viewers (user_id, partner_id) VALUES (\(person), \(partner))
      ON CONFLICT (user_id) DO UPDATE SET partner_id = excluded.partner_id
      """)
  }

  func stop(of person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM workout_viewers WHERE user_id = \(person)")
  }

  /// Ends what the user shares, and what is shared with them.
  func endAll(of person: ID<Person>, in writer: WriteTransaction) throws {
    try stop(of: person, in: writer)
    try writer.execute("DELETE FROM workout_viewers WHERE partner_id = \(person)")
  }

  // MARK: Cheers

  func hasCheered(
    _ person: ID<Person>, for workout: ID<Workout>, in reader: ReadTransaction
  ) throws -> Bool {
    try reader.exists(
      """
      SELECT 1 FROM workout_cheers WHERE workout_id = \(workout) AND user_id = \(person)
      """)
  }

  /// The name of the partner who cheered for the user's workout, while the two are together.
  func cheerer(
    of workout: ID<Workout>, by person: ID<Person>, in reader: ReadTransaction
  ) throws -> String? {
    try reader.value(
      """
      SELECT w.name FROM workouts x JOIN workout_cheers c ON c.workout_id = x.id
      JOIN people_seen w ON w.id = c.user_id
      WHERE x.id = \(workout) AND x.user_id = \(person)
        AND (SELECT t.couple_id FROM couples_together t WHERE t.user_id = c.user_id) =
          (SELECT t.couple_id FROM couples_together t WHERE t.user_id = x.user_id)
      """)
  }

  /// Returns whether anything changed.
  func setCheer(
    _ isOn: Bool, for workout: ID<Workout>, by person: ID<Person>, now: Instant,
    in writer: WriteTransaction
  ) throws -> Bool {
    if isOn {
      return try writer.execute(
        """
        INSERT INTO workout_cheers (workout_id, user_id, cheered_at)
        VALUES (\(workout), \(person), \(now)) ON CONFLICT DO NOTHING
        """) == 1
    }
    return try writer.execute(
      "DELETE FROM workout_cheers WHERE workout_id = \(workout) AND user_id = \(person)") == 1
  }

  /// The workouts for which a user cheered, and when, for the export.
  func cheers(
    of person: ID<Person>, in reader: ReadTransaction
  ) throws -> [(workout: ID<Workout>, at: Instant)] {
    try reader.rows(
      """
      SELECT workout_id, cheered_at FROM workout_cheers WHERE user_id = \(person)
      ORDER BY cheered_at, workout_id
      """
    ) { (try $0.next(), try $0.next()) }
  }
}
