import Core
import Database

/// What was reported, with all that was decided of it lately.
struct ReportCase: Sendable {
  let id: ID<ReportCase>
  let target: ReportTarget
  let couple: ID<Couple>?
  /// Whose a post is, or who a person.
  let author: ID<Person>?
  let state: CaseState
  let thingState: ReportTargetState
  let version: Int
  let round: Int
  let reporters: Int
  let waitingSince: Instant
  let rank: Int64
  let decision: Decision?
  let note: String
  let decidedBy: String
  let decidedAt: Instant?
  /// 0 for good.
  let suspendedDays: Int?

  /// Hidden because so many reported it, and nobody has looked yet.
  var isHiddenByReports: Bool { state == .open && thingState == .hidden }

  /// Whether who it concerns may object: to what hides, removes or suspends.
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
      let thingState = ReportTargetState(rawValue: row.text(6))
    else { throw StorageError.unreadable("a case of an unknown kind or state") }
    return ReportCase(
      id: try row.id(0), target: target, couple: try row.optionalID(3),
      author: try row.optionalID(4), state: state, thingState: thingState, version: row.int(7),
      round: row.int(8), reporters: row.int(9), waitingSince: row.instant(10),
      rank: row.integer(11), decision: row.optionalText(12).flatMap(Decision.init(rawValue:)),
      note: row.text(13), decidedBy: row.text(14), decidedAt: row.optionalInstant(15),
      suspendedDays: row.isNull(16) ? nil : row.int(16))
  }
}

/// One person's report.
struct Report: Sendable {
  /// How a report ended for who made it.
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

/// One decision, as it was.
struct PastDecision: Sendable {
  let caseID: ID<ReportCase>
  let decision: Decision
  let days: Int?
  let note: String
  let by: String
  let at: Instant
}

/// What somebody says against a decision.
struct Appeal: Sendable {
  let words: String
  let at: Instant
  let decidedAt: Instant?
  let isGranted: Bool
}
