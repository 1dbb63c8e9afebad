import Core
import Database
import Web

/// The SQL of reported moments. What is read here is for moderators, also after a moment's end.
struct MomentReportStore {
  /// The file of a reported moment; nil if it was not reported, or its account is deleted.
  func file(
    of id: ID<Moment>, in reader: ReadTransaction
  ) throws -> (file: ID<MomentFile>, content: Moment.Content)? {
    try reader.first(
      """
      SELECT m.file_id, m.extension, m.has_webp, m.milliseconds, m.has_sound
      FROM moments m JOIN people_seen w ON w.id = m.author_id
      WHERE m.id = \(id) AND m.reported_at IS NOT NULL
      """
    ) { try Self.file(&$0) }
  }

  /// A reported moment; nil if it was not reported, or its account is deleted.
  func content(
    _ id: ID<Moment>, in reader: ReadTransaction
  ) throws -> ReportedMomentContent? {
    try reader.first(
      """
      SELECT m.couple_id, (SELECT c.name FROM couples_seen c WHERE c.id = m.couple_id),
        m.author_id, w.name, m.words, m.file_id, m.extension, m.has_webp, m.milliseconds,
        m.has_sound, m.width, m.height, m.created_at
      FROM moments m JOIN people_seen w ON w.id = m.author_id
      WHERE m.id = \(id) AND m.reported_at IS NOT NULL
      """
    ) { row in
      let couple = try row.next(ID<Couple>.self)
      let coupleName = try row.next(String?.self) ?? ""
      let (author, authorName) = (try row.next(ID<Person>.self), try row.next(String.self))
      let words = try row.next(String.self)
      let stored = try Self.file(&row)
      return ReportedMomentContent(
        id: id, couple: couple, coupleName: coupleName, author: author, authorName: authorName,
        words: words, file: stored.file, content: stored.content, width: try row.next(),
        height: try row.next(), createdAt: try row.next())
    }
  }

  private static func file(
    _ row: inout RowReader
  ) throws -> (file: ID<MomentFile>, content: Moment.Content) {
    let file = try row.next(ID<MomentFile>.self)
    let fileExtension = try row.next(String.self)
    let hasWebP = try row.next(Bool.self)
    let milliseconds = try row.next(Int?.self)
    let content = MomentStore.content(
      fileExtension, hasWebP: hasWebP, milliseconds, hasSound: try row.next())
    return (file, content)
  }

  // MARK: Changing

  /// Keeps a moment for moderators until they have decided, unless its files are being removed.
  func noteReport(of id: ID<Moment>, now: Instant, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      UPDATE moments SET reported_at = coalesce(reported_at, \(now)),
        purge_at = CASE WHEN purge_at <= \(now) THEN purge_at END
      WHERE id = \(id)
      """)
  }

  /// The moment is removed at its end, or at once if it was deleted.
  func forgetReport(of id: ID<Moment>, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      UPDATE moments SET reported_at = NULL, purge_at = coalesce(deleted_at, ends_at)
      WHERE id = \(id)
      """)
  }

  /// The moment is removed as after the dismissal that was decided then.
  func noteDecision(
    of id: ID<Moment>, at decidedAt: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      UPDATE moments
      SET purge_at = max(ends_at, \(decidedAt.adding(seconds: MomentRules.dismissedPeriod)))
      WHERE id = \(id) AND purge_at IS NULL
      """)
  }

  /// Changes what moderators decide, and with it when the moment is removed.
  func set(
    _ state: MomentState, of id: ID<Moment>, now: Instant, in writer: WriteTransaction
  ) throws {
    let period =
      state == .shown ? MomentRules.dismissedPeriod : MomentRules.evidencePeriod
    try writer.execute(
      """
      UPDATE moments SET
        hidden_at = CASE WHEN \(state == .hidden) = 1 THEN coalesce(hidden_at, \(now)) END,
        removed_at = CASE WHEN \(state == .removed) = 1 THEN coalesce(removed_at, \(now)) END,
        purge_at = max(ends_at, \(now.adding(seconds: period)))
      WHERE id = \(id)
      """)
  }
}
