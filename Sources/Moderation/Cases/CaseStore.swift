import Core
import Database

/// Filter of the queue.
struct QueueFilter: Sendable {
  var state = CaseState.open
  var reason: ReportReason?
  /// Minimum waiting time, in s.
  var age: Int64?
  var couple: ID<Couple>?
}

/// The SQL of cases and their reports. Pages and services check that the caller is a moderator or
/// the user concerned.
struct CaseStore: Sendable {
  func find(_ id: ID<ReportCase>, in reader: ReadTransaction) throws -> ReportCase? {
    try reader.first(
      "SELECT \(ReportCase.columns) FROM report_cases c WHERE c.id = ?", id, make: ReportCase.read)
  }

  func find(_ target: ReportTarget, in reader: ReadTransaction) throws -> ReportCase? {
    try reader.first(
      "SELECT \(ReportCase.columns) FROM report_cases c WHERE c.kind = ? AND c.thing_id = ?",
      target.kind.rawValue, target.bytes, make: ReportCase.read)
  }

  // MARK: The queue

  /// Cases in queue order, after a place.
  func queue(
    _ filter: QueueFilter, after place: (rank: Int64, id: ID<ReportCase>)?, limit: Int,
    now: Instant,
    in reader: ReadTransaction
  ) throws -> [ReportCase] {
    let since = now.adding(seconds: -(filter.age ?? 0))
    let (rank, id) = (place?.rank ?? .min, place?.id.bytes ?? [])
    if let couple = filter.couple {
      return try reader.rows(
        """
        SELECT \(ReportCase.columns) FROM report_cases c
        WHERE c.couple_id = ? AND (c.rank, c.id) > (?, ?) AND c.waiting_since <= ?
          AND (? OR EXISTS (SELECT 1 FROM reports r WHERE r.case_id = c.id AND r.reason = ?))
        ORDER BY c.rank, c.id LIMIT ?
        """, couple, rank, id, since, filter.reason == nil, filter.reason?.rawValue ?? "", limit,
        make: ReportCase.read)
    }
    // The rank of a waiting case is at most its waiting time in ms, so higher ranks can be skipped.
    let last = filter.state.waits ? since.milliseconds : .max
    if let reason = filter.reason {
      return try reader.rows(
        """
        SELECT \(ReportCase.columns) FROM case_reasons q CROSS JOIN report_cases c ON c.id = q.case_id
        WHERE q.reason = ? AND q.state = ? AND (q.rank, q.case_id) > (?, ?) AND q.rank <= ?
          AND c.waiting_since <= ?
        ORDER BY q.rank, q.case_id LIMIT ?
        """, reason.rawValue, filter.state.rawValue, rank, id, last, since, limit,
        make: ReportCase.read)
    }
    return try reader.rows(
      """
      SELECT \(ReportCase.columns) FROM report_cases c
      WHERE c.state = ? AND (c.rank, c.id) > (?, ?) AND c.rank <= ? AND c.waiting_since <= ?
      ORDER BY c.rank, c.id LIMIT ?
      """, filter.state.rawValue, rank, id, last, since, limit, make: ReportCase.read)
  }

  func count(_ state: CaseState, in reader: ReadTransaction) throws -> Int {
    try reader.count("SELECT count(*) FROM report_cases WHERE state = ?", state.rawValue)
  }

  /// Number of cases of the same state before this one.
  func countBefore(_ found: ReportCase, in reader: ReadTransaction) throws -> Int {
    try reader.count(
      "SELECT count(*) FROM report_cases c WHERE c.state = ? AND (c.rank, c.id) < (?, ?)",
      found.state.rawValue, found.rank, found.id)
  }

  /// The next or previous case in the queue.
  func beside(_ found: ReportCase, isBefore: Bool, in reader: ReadTransaction) throws -> ID<
    ReportCase
  >? {
    let (sign, order) = isBefore ? ("<", "DESC") : (">", "ASC")
    return try reader.first(
      """
      SELECT c.id FROM report_cases c WHERE c.state = ? AND (c.rank, c.id) \(sign) (?, ?)
      ORDER BY c.rank \(order), c.id \(order) LIMIT 1
      """, found.state.rawValue, found.rank, found.id
    ) { try $0.id(0) }
  }

  /// Whether any case waits for a moderator.
  func isWaiting(in reader: ReadTransaction) throws -> Bool {
    try reader.exists(
      "SELECT 1 FROM report_cases WHERE state IN ('open', 'appealed') LIMIT 1")
  }

  /// Whether a case waits about which moderators have not been mailed.
  func isUnnotified(in reader: ReadTransaction) throws -> Bool {
    try reader.exists(
      "SELECT 1 FROM report_cases WHERE told = 0 AND state IN ('open', 'appealed') LIMIT 1")
  }

  // MARK: Reports

  /// Number of reporters per reason in the current or latest round.
  func reasons(of found: ReportCase, in reader: ReadTransaction) throws -> [(
    reason: ReportReason, count: Int
  )] {
    try reader.rows(
      """
      SELECT reason, count(DISTINCT reporter_key) AS n FROM reports
      WHERE case_id = ? AND round = ? GROUP BY reason ORDER BY n DESC, reason
      """, found.id, found.round
    ) { (ReportReason(rawValue: $0.text(0)) ?? .other, $0.int(1)) }
  }

  /// The reporters' own notes.
  func notes(of found: ReportCase, in reader: ReadTransaction) throws -> [String] {
    try reader.rows(
      """
      SELECT note FROM reports WHERE case_id = ? AND round = ? AND note <> ''
      ORDER BY created_at LIMIT 50
      """, found.id, found.round
    ) { $0.text(0) }
  }

  func hasOpen(_ found: ID<ReportCase>, by person: ID<Person>, in reader: ReadTransaction) throws
    -> Bool
  {
    try reader.exists(
      "SELECT 1 FROM reports WHERE case_id = ? AND user_id = ? AND state = 'open'", found, person)
  }

  /// Whether the last reports of a user were all rejected.
  func isDistrusted(_ person: ID<Person>, in reader: ReadTransaction) throws -> Bool {
    let last = try reader.rows(
      """
      SELECT state FROM reports WHERE user_id = ? AND state <> 'open'
      ORDER BY created_at DESC, id DESC LIMIT ?
      """, person, ReportRules.rejectedInARow
    ) { $0.text(0) }
    return last.count == ReportRules.rejectedInARow && last.allSatisfy { $0 == "rejected" }
  }

  /// Number of reporters that count; two of a couple count as one.
  func countingReporters(_ found: ReportCase, in reader: ReadTransaction) throws -> Int {
    try reader.count(
      """
      SELECT count(DISTINCT reporter_key) FROM reports
      WHERE case_id = ? AND round = ? AND counts = 1 AND state = 'open'
      """, found.id, found.round)
  }

  /// Reports of one user, newest first.
  func reports(
    of person: ID<Person>, limit: Int, in reader: ReadTransaction
  ) throws -> [(report: Report, target: ReportCase)] {
    try reader.rows(
      """
      SELECT \(ReportCase.columns), r.id, r.reason, r.note, r.state, r.created_at
      FROM reports r JOIN report_cases c ON c.id = r.case_id
      WHERE r.user_id = ? ORDER BY r.created_at DESC, r.id DESC LIMIT ?
      """, person, limit
    ) {
      (
        Report(
          id: try $0.id(17), reason: ReportReason(rawValue: $0.text(18)) ?? .other,
          note: $0.text(19), state: Report.State(rawValue: $0.text(20)) ?? .open,
          createdAt: $0.instant(21)),
        try ReportCase.read($0)
      )
    }
  }

  // MARK: Decisions

  /// Decisions about a couple and the two before, latest first.
  func decisions(
    of couple: ID<Couple>, limit: Int, in reader: ReadTransaction
  ) throws -> [PastDecision] {
    try reader.rows(
      """
      SELECT case_id, decision, suspended_days, note, decided_by, decided_at FROM decisions
      WHERE couple_id = ? ORDER BY decided_at DESC LIMIT ?
      """, couple, limit, make: Self.past)
  }

  /// All decisions about one case, oldest first.
  func decisions(of found: ID<ReportCase>, in reader: ReadTransaction) throws -> [PastDecision] {
    try reader.rows(
      """
      SELECT case_id, decision, suspended_days, note, decided_by, decided_at FROM decisions
      WHERE case_id = ? ORDER BY decided_at, id
      """, found, make: Self.past)
  }

  private static func past(_ row: Row) throws -> PastDecision {
    PastDecision(
      caseID: try row.id(0), decision: Decision(rawValue: row.text(1)) ?? .dismiss,
      days: row.isNull(2) ? nil : row.int(2), note: row.text(3), by: row.text(4),
      at: row.instant(5))
  }

  /// Decisions in force that suspend a user or the user's couple. Lifting a user's suspension lifts
  /// all earlier decisions.
  func sentences(
    of person: ID<Person>, couple: ID<Couple>?, in reader: ReadTransaction
  ) throws -> [Suspension] {
    try reader.rows(
      """
      SELECT c.decided_at, c.suspended_days, c.decision_note FROM (
        SELECT id FROM report_cases WHERE author_id = ?
        UNION SELECT id FROM report_cases WHERE couple_id = ? AND kind = 'couple') AS found
      JOIN report_cases c ON c.id = found.id
      WHERE c.decision = 'suspend' AND c.decided_at > coalesce((
        SELECT p.decided_at FROM report_cases p
        WHERE p.kind = 'person' AND p.thing_id = ? AND p.decision = 'dismiss'), 0)
      """, person, couple, person
    ) {
      let days = Int64($0.int(1))
      return Suspension(
        until: days == 0 ? nil : $0.instant(0).adding(seconds: .days(days)), why: $0.text(2))
    }
  }

  func hasAppealed(_ person: ID<Person>, _ found: ID<ReportCase>, in reader: ReadTransaction) throws
    -> Bool
  {
    try reader.exists("SELECT 1 FROM appeals WHERE case_id = ? AND user_id = ?", found, person)
  }

  func appeal(of found: ID<ReportCase>, in reader: ReadTransaction) throws -> Appeal? {
    try reader.first(
      "SELECT words, created_at, decided_at, granted FROM appeals WHERE case_id = ?", found
    ) {
      Appeal(
        words: $0.text(0), at: $0.instant(1), decidedAt: $0.optionalInstant(2),
        isGranted: $0.flag(3))
    }
  }

  /// Cases that concern a user: the user, the user's posts and couple. Only decisions against them,
  /// and posts hidden until a decision.
  func concerning(
    _ person: ID<Person>, couple: ID<Couple>?, limit: Int, in reader: ReadTransaction
  ) throws -> [ReportCase] {
    try reader.rows(
      """
      SELECT \(ReportCase.columns) FROM (
        SELECT id FROM report_cases WHERE author_id = ?
        UNION SELECT id FROM report_cases WHERE couple_id = ? AND kind = 'couple') AS found
      JOIN report_cases c ON c.id = found.id
      WHERE c.thing_state <> 'shown' OR c.decision <> 'dismiss'
      ORDER BY coalesce(c.decided_at, c.waiting_since) DESC LIMIT ?
      """, person, couple, limit, make: ReportCase.read)
  }
}
