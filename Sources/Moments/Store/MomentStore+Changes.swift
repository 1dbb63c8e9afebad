import Core
import Database

/// Changes moments; each method runs in its caller's transaction.
extension MomentStore {
  /// The file name extension of films.
  static let film = "mp4"

  func add(
    _ new: NewMoment, _ made: MadeMomentFile, of couple: ID<Couple>, by viewer: Viewer,
    now: Instant, in writer: WriteTransaction
  ) throws {
    let end = now.adding(seconds: MomentRules.lifetime)
    var fileExtension = Self.film
    var (hasWebP, hasSound) = (false, false)
    var milliseconds: Int?
    switch made.content {
    case .picture(let stored, let isWebPToo):
      fileExtension = stored
      hasWebP = isWebPToo
    case .film(let length, let isHeard):
      milliseconds = length
      hasSound = isHeard
    }
    try writer.execute(
      """
      INSERT INTO moments (id, couple_id, author_id, audience, words, file_id, extension, width,
        height, has_webp, milliseconds, has_sound, bytes, created_at, ends_at, purge_at)
      VALUES (\(new.id), \(couple), \(viewer.id), \(new.audience.rawValue), \(new.words),
        \(made.file), \(fileExtension), \(made.width), \(made.height), \(hasWebP),
        \(milliseconds), \(hasSound), \(made.bytes), \(now), \(end), \(end))
      """)
  }

  /// Whether moderators have suspended the viewer by now.
  func isSuspended(
    _ viewer: Viewer, now: Instant, in reader: ReadTransaction
  ) throws -> Bool {
    try reader.exists(
      "SELECT 1 FROM people_suspended s WHERE s.id = \(viewer.id) AND s.until > \(now)")
  }

  /// Notes that a member has seen a moment; the first time counts.
  func noteView(
    of id: ID<Moment>, by viewer: Viewer, now: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      INSERT INTO moment_views (moment_id, user_id, seen_at)
      VALUES (\(id), \(viewer.id), \(now)) ON CONFLICT (moment_id, user_id) DO NOTHING
      """)
  }

  /// Deletes a moment for its viewers. One that was reported stays for moderators.
  func delete(_ id: ID<Moment>, now: Instant, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      UPDATE moments SET deleted_at = coalesce(deleted_at, \(now)),
        purge_at = CASE WHEN reported_at IS NULL THEN \(now) ELSE purge_at END
      WHERE id = \(id)
      """)
  }

  // MARK: Purging

  /// Moments whose files and rows are to be removed, the earliest first.
  func due(now: Instant, limit: Int, in reader: ReadTransaction) throws -> [ID<Moment>] {
    try reader.values(
      """
      SELECT id FROM moments WHERE purge_at IS NOT NULL AND purge_at <= \(now)
      ORDER BY purge_at LIMIT \(limit)
      """)
  }

  /// Whether the files of a moment may be removed; a report may have come in between.
  func isDue(_ id: ID<Moment>, now: Instant, in reader: ReadTransaction) throws -> Bool {
    try reader.exists("SELECT 1 FROM moments WHERE id = \(id) AND purge_at <= \(now)")
  }

  /// Removes the rows of moments that are due.
  func purge(_ id: ID<Moment>, now: Instant, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM moments WHERE id = \(id) AND purge_at <= \(now)")
  }

  /// The moments of a list that have rows.
  func existing(_ ids: [ID<Moment>], in reader: ReadTransaction) throws -> Set<ID<Moment>> {
    Set(
      try reader.values(
        "SELECT m.id FROM \(IDList(ids)) AS i CROSS JOIN moments m WHERE m.id = i.id",
        as: ID<Moment>.self))
  }
}
