import Core
import Database

/// A reported item with its latest decision.
struct ReportCase: Sendable {
  let id: ID<ReportCase>
  let target: ReportTarget
  let couple: ID<Couple>?
  /// Author of a post, comment, message or moment, or the user who was reported.
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

  /// The kind of the reported item.
  static let kind: Query = """
    CASE WHEN c.is_message = 1 THEN 'message' WHEN c.is_moment = 1 THEN 'moment'
      WHEN c.part = '' THEN c.kind ELSE c.part END
    """

  static let columns: Query = """
    c.id, \(kind), c.thing_id, c.couple_id, c.author_id, c.state, c.thing_state, c.version,
    c.round, c.reporters, c.waiting_since, c.rank, c.decision, c.decision_note, c.decided_by,
    c.decided_at, c.suspended_days
    """

  init(_ row: inout RowReader) throws {
    id = try row.next()
    let (kind, bytes) = (try row.next(String.self), try row.next([UInt8].self))
    (couple, author) = (try row.next(), try row.next())
    guard
      let target = ReportTarget.Kind(rawValue: kind).flatMap({
        ReportTarget(kind: $0, bytes: bytes)
      }),
      let state = CaseState(rawValue: try row.next()),
      let targetState = ReportTargetState(rawValue: try row.next())
    else { throw StorageError.unreadable("a case of an unknown kind or state") }
    self.target = target
    self.state = state
    self.targetState = targetState
    version = try row.next()
    round = try row.next()
    reporters = try row.next()
    waitingSince = try row.next()
    rank = try row.next()
    decision = try row.next(String?.self).flatMap(Decision.init(rawValue:))
    note = try row.next()
    decidedBy = try row.next()
    decidedAt = try row.next()
    suspendedDays = try row.next()
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

  /// Whether its reporter may withdraw it: soon after, while nothing has followed from it.
  func canBeWithdrawn(_ found: ReportCase, now: Instant) -> Bool {
    state == .open && found.state == .open && found.targetState == .shown
      && now.seconds(since: createdAt) < ReportRules.undoPeriod
  }
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

extension PastDecision {
  init(_ row: inout RowReader) throws {
    self.init(
      caseID: try row.next(), decision: Decision(rawValue: try row.next()) ?? .dismiss,
      days: try row.next(), note: try row.next(), by: try row.next(), at: try row.next())
  }
}

/// The latest decision of a case, which can be taken back, and the state before it.
struct UndoableDecision: Sendable {
  let id: ID<PastDecision>
  let state: CaseState
  let targetState: ReportTargetState
}

/// An appeal against a decision.
struct Appeal: Sendable {
  let text: String
  let at: Instant
  let decidedAt: Instant?
  let isGranted: Bool
}
