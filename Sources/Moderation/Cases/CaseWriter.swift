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
        INSERT INTO report_cases (id, kind, part, is_message, is_moment, thing_id, couple_id,
          author_id, state, thing_state, version, round, reporters, waiting_since, rank)
        VALUES (\(ID<ReportCase>(now: now)), \(target.kind.column), \(target.kind.part),
          \(target.kind == .message), \(target.kind == .moment), \(target.bytes), \(couple),
          \(author), 'open', 'shown', 1, 1, 0, \(now), \(now))
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
  ) throws -> ID<Report> {
    let id = ID<Report>(now: now)
    try writer.execute(
      """
      INSERT INTO reports (id, case_id, round, user_id, reporter_key, counts, reason, note, state,
        created_at)
      VALUES (\(id), \(found.id), \(found.round), \(viewer.id),
        \(viewer.couple?.id.bytes ?? viewer.id.bytes), \(counts), \(report.reason.rawValue),
        \(report.note), 'open', \(now))
      """)
    try recount(found.id)
    return id
  }

  /// Removes a report. A case without one is as before its round, or gone if it had no other; then
  /// true.
  func withdraw(_ report: ID<Report>, of found: ReportCase) throws -> Bool {
    try writer.execute("DELETE FROM reports WHERE id = \(report)")
    try recount(found.id)
    guard let left = try CaseStore().find(found.id, in: reader), left.reporters == 0 else {
      return false
    }
    guard let decidedAt = found.decidedAt else {
      try writer.execute("DELETE FROM report_cases WHERE id = \(found.id)")
      return true
    }
    let round = found.round - 1
    let since = try reader.value(
      """
      SELECT max(at) FROM (
        SELECT min(created_at) AS at FROM reports WHERE case_id = \(found.id) AND round = \(round)
        UNION ALL SELECT created_at FROM appeals WHERE case_id = \(found.id)) AS waits
      """, as: Instant?.self)
    try writer.execute(
      """
      UPDATE report_cases SET state = 'dismissed', version = version + 1, round = \(round),
        waiting_since = \((since ?? nil) ?? decidedAt), rank = \(-decidedAt.milliseconds)
      WHERE id = \(found.id)
      """)
    try recount(found.id)
    return false
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

  /// Stores a decision; without a viewer for a command. Nil if another one was stored since
  /// `version`.
  func decide(
    _ verdict: DecisionInput, of found: ReportCase, by viewer: Viewer?, now: Instant
  ) throws -> ID<PastDecision>? {
    let name = viewer?.avatar.name ?? AuditLog.atTheServer
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
    guard changed == 1 else { return nil }
    let id = ID<PastDecision>(now: now)
    // A case without a report was opened by its decision: there is no state to go back to.
    let canBeUndone = found.state != .open || found.reporters > 0
    try writer.execute(
      """
      INSERT INTO decisions (id, case_id, couple_id, decision, suspended_days, note, decided_by,
        decided_at, moderator_id, state_before, thing_state_before)
      VALUES (\(id), \(found.id), \(found.couple), \(verdict.decision.rawValue), \(verdict.days),
        \(verdict.note), \(name), \(now), \(viewer?.id),
        \(canBeUndone ? found.state.rawValue : nil),
        \(canBeUndone ? found.targetState.rawValue : nil))
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
    return id
  }

  /// Takes back the latest decision: the case, its reports and an appeal are as before.
  func undo(_ last: UndoableDecision, of found: ReportCase) throws {
    try writer.execute("DELETE FROM decisions WHERE id = \(last.id)")
    let previous = try CaseStore().decisions(of: found.id, in: reader).last
    let rank =
      last.state.waits
      ? ReportRules.rank(waitingSince: found.waitingSince, reporters: found.reporters)
      : -(previous?.at ?? found.waitingSince).milliseconds
    try writer.execute(
      """
      UPDATE report_cases SET state = \(last.state.rawValue),
        thing_state = \(last.targetState.rawValue), version = version + 1, rank = \(rank),
        decision = \(previous?.decision.rawValue), decision_note = \(previous?.note ?? ""),
        decided_by = \(previous?.by ?? ""), decided_at = \(previous?.at),
        suspended_days = \(previous?.days)
      WHERE id = \(found.id)
      """)
    let wasOpen = last.state == .open
    let outcome = previous?.decision == .dismiss ? Report.State.rejected : .upheld
    // A reporter who has reported the thing again keeps the newer report.
    let isFree: Query =
      wasOpen
      ? """
      NOT EXISTS (SELECT 1 FROM reports r
        WHERE r.case_id = reports.case_id AND r.user_id = reports.user_id AND r.state = 'open')
      """ : "TRUE"
    try writer.execute(
      """
      UPDATE reports SET state = \(wasOpen ? Report.State.open.rawValue : outcome.rawValue),
        decided_at = \(wasOpen ? nil : previous?.at)
      WHERE case_id = \(found.id) AND round = \(found.round) AND decided_at = \(found.decidedAt)
        AND \(isFree)
      """)
    if last.state == .appealed {
      try writer.execute(
        "UPDATE appeals SET decided_at = NULL, granted = NULL WHERE case_id = \(found.id)")
    }
    try writer.execute(
      """
      DELETE FROM moderation_notices
      WHERE case_id = \(found.id) AND created_at = \(found.decidedAt)
      """)
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

    /// Path of the page that shows it, at the decision itself.
    func path(of found: ID<ReportCase>) -> String {
      self == .reportUpheld || self == .reportRejected
        ? ModerationLinks.ownReports : "\(ModerationLinks.ownDecisions)#d-\(found)"
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
      SELECT id, kind, case_id, created_at FROM moderation_notices WHERE user_id = \(person)
      ORDER BY id DESC LIMIT \(limit)
      """
    ) {
      let id = try $0.next(ID<ModerationNotice>.self)
      let kind = ModerationNotice.Kind(rawValue: try $0.next()) ?? .reportRejected
      return ModerationNotice(
        id: id, kind: kind, path: kind.path(of: try $0.next()), createdAt: try $0.next())
    }
  }
}
