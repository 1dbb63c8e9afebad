import Core
import Database

/// A reported item with its latest decision.
struct ReportCase: Sendable {
  let id: ID<ReportCase>
  let target: ReportTarget
  let couple: ID<Couple>?
  /// Author of a post, or the user who was reported.
  let author: ID<Person>?
  let state: CaseState
  let targetState: ReportTargetState
  let version: Int
  let round: Int
  let reporters: Int
  let waitingSince: Instant
  let rank: Int64
  let decision: Decision?
  let note: String
  let decidedBy: String
  let decidedAt: Instant?
  /// In days; 0 for permanent.
  let suspendedDays: Int?

  /// Hidden because of the number of reports; not reviewed yet.
  var isHiddenByReports: Bool { state == .open && targetState == .hidden }

  /// Whether the user concerned may appeal: decisions that hide, remove or suspend.
  var canBeAppealed: Bool {
    [.hidden, .removed, .suspended].contains(state)
  }

  static let columns = """
    c.id, c.kind, c.thing_id, c.couple_id, c.author_id, c.state, c.thing_state, c.version, c.round,
    c.reporters, c.waiting_since, c.rank, c.decision, c.decision_note, c.decided_by, c.decided_at,
    c.suspended_days
    """

  static func read(_ row: Row) throws -> ReportCase {
    guard let kind = ReportTarget.Kind(rawValue: row.text(1)),
      let target = ReportTarget(kind: kind, bytes: row.bytes(2)),
      let state = CaseState(rawValue: row.text(5)),
      let targetState = ReportTargetState(rawValue: row.text(6))
    else { throw StorageError.unreadable("a case of an unknown kind or state") }
    return ReportCase(
      id: try row.id(0), target: target, couple: try row.optionalID(3),
      author: try row.optionalID(4), state: state, targetState: targetState, version: row.int(7),
      round: row.int(8), reporters: row.int(9), waitingSince: row.instant(10),
      rank: row.integer(11), decision: row.optionalText(12).flatMap(Decision.init(rawValue:)),
      note: row.text(13), decidedBy: row.text(14), decidedAt: row.optionalInstant(15),
      suspendedDays: row.isNull(16) ? nil : row.int(16))
  }
}

/// A report of one user.
struct Report: Sendable {
  /// Outcome of a report for its reporter.
  enum State: String, Sendable {
    case open
    case rejected
    case upheld
  }

  let id: ID<Report>
  let reason: ReportReason
  let note: String
  let state: State
  let createdAt: Instant
}

/// An earlier decision.
struct PastDecision: Sendable {
  let caseID: ID<ReportCase>
  let decision: Decision
  let days: Int?
  let note: String
  let by: String
  let at: Instant
}

/// An appeal against a decision.
struct Appeal: Sendable {
  let words: String
  let at: Instant
  let decidedAt: Instant?
  let isGranted: Bool
}
