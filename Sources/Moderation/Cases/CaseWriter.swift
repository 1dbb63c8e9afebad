import Core
import Database

/// Changes cases; each method runs in its caller's transaction.
struct CaseWriter {
  let writer: WriteTransaction

  private var reader: ReadTransaction { writer }

  /// The case of a target, created or reopened for a report. Hidden and removed targets stay so.
  func opened(
    _ target: ReportTarget, couple: ID<Couple>?, author: ID<Person>?, now: Instant
  ) throws -> ReportCase {
    if let found = try CaseStore().find(target, in: reader) {
      guard found.state == .dismissed else { return found }
      try writer.execute(
        """
        UPDATE report_cases SET state = 'open', version = version + 1, round = round + 1,
          told = 0, reporters = 0, waiting_since = \(now), rank = \(now) WHERE id = \(found.id)
        """)
    } else {
      try writer.execute(
        """
        INSERT INTO report_cases (id, kind, part, thing_id, couple_id, author_id, state, thing_state,
          version, round, reporters, waiting_since, rank)
        VALUES (\(ID<ReportCase>(now: now)), \(target.kind.column), \(target.kind.part), \(target.bytes),
          \(couple), \(author), 'open', 'shown', 1, 1, 0, \(now), \(now))
        """)
    }
    return try required(target)
  }

  private func required(_ target: ReportTarget) throws -> ReportCase {
    guard let found = try CaseStore().find(target, in: reader) else {
      throw StorageError.unreadable("a case that was just written")
    }
    return found
  }

  func add(
    _ report: NewReport, to found: ReportCase, by viewer: Viewer, counts: Bool, now: Instant
  ) throws {
    try writer.execute(
      """
      INSERT INTO reports (id, case_id, round, user_id, reporter_key, counts, reason, note, state,
        created_at)
      VALUES (\(ID<Report>(now: now)), \(found.id), \(found.round), \(viewer.id),
        \(viewer.couple?.id.bytes ?? viewer.id.bytes), \(counts), \(report.reason.rawValue),
        \(report.note), 'open', \(now))
      """)
    try recount(found.id)
  }

  /// Recounts the reporters of a case and updates its rank.
  func recount(_ id: ID<ReportCase>) throws {
    guard let found = try CaseStore().find(id, in: reader) else { return }
    let reporters = try reader.count(
      """
      SELECT count(DISTINCT reporter_key) FROM reports WHERE case_id = \(id)
        AND round = \(found.round)
      """)
    let rank =
      found.state.waits
      ? ReportRules.rank(waitingSince: found.waitingSince, reporters: reporters) : found.rank
    try writer.execute(
      "UPDATE report_cases SET reporters = \(reporters), rank = \(rank) WHERE id = \(id)")
  }

  func setTarget(_ state: ReportTargetState, of found: ID<ReportCase>) throws {
    try writer.execute(
      "UPDATE report_cases SET thing_state = \(state.rawValue) WHERE id = \(found)")
  }

  /// Stores a decision. False if another one was stored since `version`.
  func decide(
    _ verdict: DecisionInput, of found: ReportCase, by name: String, now: Instant
  ) throws -> Bool {
    let kind = found.target.kind
    let target = verdict.decision.target(kind, before: found.targetState)
    // Decided cases are sorted latest first.
    let rank = -now.milliseconds
    let changed = try writer.execute(
      """
      UPDATE report_cases SET state = \(verdict.decision.state(of: kind).rawValue),
        thing_state = \(target.rawValue), version = version + 1, rank = \(rank),
        decision = \(verdict.decision.rawValue), decision_note = \(verdict.note),
        decided_by = \(name), decided_at = \(now), suspended_days = \(verdict.days)
      WHERE id = \(found.id) AND version = \(verdict.version)
      """)
    guard changed == 1 else { return false }
    try writer.execute(
      """
      INSERT INTO decisions (id, case_id, couple_id, decision, suspended_days, note, decided_by,
        decided_at)
      VALUES (\(ID<PastDecision>(now: now)), \(found.id), \(found.couple),
        \(verdict.decision.rawValue), \(verdict.days), \(verdict.note), \(name), \(now))
      """)
    let outcome = verdict.decision == .dismiss ? Report.State.rejected : .upheld
    try writer.execute(
      """
      UPDATE reports SET state = \(outcome.rawValue), decided_at = \(now)
      WHERE case_id = \(found.id) AND round = \(found.round)
      """)
    if found.state == .appealed {
      try writer.execute(
        """
        UPDATE appeals SET decided_at = \(now), granted = \(verdict.isLenient)
        WHERE case_id = \(found.id)
        """)
    }
    return true
  }

  /// Stores the only appeal of a case. False if there was one, or nothing can be appealed.
  func appeal(_ text: String, of found: ReportCase, by person: ID<Person>, now: Instant) throws
    -> Bool
  {
    guard found.canBeAppealed,
      try writer.execute(
        """
        INSERT INTO appeals (case_id, user_id, words, created_at)
        VALUES (\(found.id), \(person), \(text), \(now))
        ON CONFLICT (case_id) DO NOTHING
        """) == 1
    else { return false }
    try writer.execute(
      """
      UPDATE report_cases SET state = 'appealed', version = version + 1, told = 0,
        waiting_since = \(now), rank = \(now) WHERE id = \(found.id)
      """)
    return true
  }

  /// Marks all waiting cases as mailed to moderators.
  func markNotified(now: Instant) throws {
    try writer.execute(
      """
      INSERT INTO moderator_mail (id, sent_at) VALUES (1, \(now))
      ON CONFLICT (id) DO UPDATE SET sent_at = excluded.sent_at
      """)
    try writer.execute(
      "UPDATE report_cases SET told = 1 WHERE told = 0 AND state IN ('open', 'appealed')")
  }

  // MARK: Notices

  /// Reporters of the round that was decided.
  func reporters(of found: ReportCase) throws -> [ID<Person>] {
    try writer.values(
      """
      SELECT user_id FROM reports WHERE case_id = \(found.id) AND round = \(found.round)
      ORDER BY created_at
      """)
  }

  func notify(
    _ person: ID<Person>, _ kind: ModerationNotice.Kind, of found: ID<ReportCase>, now: Instant
  ) throws {
    try writer.execute(
      """
      INSERT INTO moderation_notices (id, user_id, case_id, kind, created_at)
      VALUES (\(ID<ModerationNotice>(now: now)), \(person), \(found), \(kind.rawValue), \(now))
      """)
  }
}

/// A notice to a user about a moderator's decision.
public struct ModerationNotice: Sendable {
  public enum Kind: String, Sendable, CaseIterable {
    case reportUpheld = "report_upheld"
    case reportRejected = "report_rejected"
    case hiddenMeanwhile = "hidden_meanwhile"
    case hidden
    case removed
    case warned
    case suspended
    case shownAgain = "shown_again"
    case appealGranted = "appeal_granted"
    case appealRefused = "appeal_refused"

    /// Path of the page that shows it.
    public var path: String {
      self == .reportUpheld || self == .reportRejected
        ? ModerationLinks.ownReports : ModerationLinks.ownDecisions
    }
  }

  public let id: ID<ModerationNotice>
  public let kind: Kind
  /// Path of the page that shows it.
  public let path: String
  public let createdAt: Instant
}

/// Moderation notices, read by the Notices module.
public struct ModerationNotices: Sendable {
  public init() {}

  /// A user's notices, newest first.
  public func all(
    of person: ID<Person>, limit: Int, in reader: ReadTransaction
  ) throws -> [ModerationNotice] {
    try reader.rows(
      """
      SELECT id, kind, created_at FROM moderation_notices WHERE user_id = \(person)
      ORDER BY id DESC LIMIT \(limit)
      """
    ) {
      let id = try $0.next(ID<ModerationNotice>.self)
      let kind = ModerationNotice.Kind(rawValue: try $0.next()) ?? .reportRejected
      return ModerationNotice(id: id, kind: kind, path: kind.path, createdAt: try $0.next())
    }
  }
}

extension ReportTarget.Kind {
  /// Value of the column `kind`, which has none for comments: those have a `part`.
  var column: String { self == .comment ? Self.post.rawValue : rawValue }

  /// Value of the column `part`.
  fileprivate var part: String { self == .comment ? rawValue : "" }
}
