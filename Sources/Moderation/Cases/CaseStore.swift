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
      "SELECT \(ReportCase.columns) FROM report_cases c WHERE c.id = \(id)", make: ReportCase.init)
  }

  func find(_ target: ReportTarget, in reader: ReadTransaction) throws -> ReportCase? {
    try reader.first(
      """
      SELECT \(ReportCase.columns) FROM report_cases c WHERE c.kind = \(target.kind.column)
        AND c.thing_id = \(target.bytes)
      """, make: ReportCase.init)
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
        WHERE c.couple_id = \(couple) AND (c.rank, c.id) > (\(rank), \(id))
          AND c.waiting_since <= \(since)
          AND (\(filter.reason == nil) OR EXISTS (SELECT 1 FROM reports r WHERE r.case_id = c.id
            AND r.reason = \(filter.reason?.rawValue ?? "")))
        ORDER BY c.rank, c.id LIMIT \(limit)
        """, make: ReportCase.init)
    }
    // The rank of a waiting case is at most its waiting time in ms, so higher ranks can be skipped.
    let last = filter.state.waits ? since.milliseconds : .max
    if let reason = filter.reason {
      return try reader.rows(
        """
        SELECT \(ReportCase.columns) FROM case_reasons q
        CROSS JOIN report_cases c ON c.id = q.case_id
        WHERE q.reason = \(reason.rawValue) AND q.state = \(filter.state.rawValue)
          AND (q.rank, q.case_id) > (\(rank), \(id)) AND q.rank <= \(last)
          AND c.waiting_since <= \(since)
        ORDER BY q.rank, q.case_id LIMIT \(limit)
        """, make: ReportCase.init)
    }
    return try reader.rows(
      """
      SELECT \(ReportCase.columns) FROM report_cases c
      WHERE c.state = \(filter.state.rawValue) AND (c.rank, c.id) > (\(rank), \(id))
        AND c.rank <= \(last) AND c.waiting_since <= \(since)
      ORDER BY c.rank, c.id LIMIT \(limit)
      """, make: ReportCase.init)
  }

  func count(_ state: CaseState, in reader: ReadTransaction) throws -> Int {
    try reader.count("SELECT count(*) FROM report_cases WHERE state = \(state.rawValue)")
  }

  /// Number of cases of the same state before this one.
  func countBefore(_ found: ReportCase, in reader: ReadTransaction) throws -> Int {
    try reader.count(
      """
      SELECT count(*) FROM report_cases c WHERE c.state = \(found.state.rawValue)
        AND (c.rank, c.id) < (\(found.rank), \(found.id))
      """)
  }

  /// The next or previous case in the queue.
  func neighbour(_ found: ReportCase, isBefore: Bool, in reader: ReadTransaction) throws -> ID<
    ReportCase
  >? {
    let (sign, order): (Query, Query) = isBefore ? ("<", "DESC") : (">", "ASC")
    return try reader.value(
      """
      SELECT c.id FROM report_cases c WHERE c.state = \(found.state.rawValue)
        AND (c.rank, c.id) \(sign) (\(found.rank), \(found.id))
      ORDER BY c.rank \(order), c.id \(order) LIMIT 1
      """)
  }

  /// Whether any case waits for a moderator.
  func isWaiting(in reader: ReadTransaction) throws -> Bool {
    try reader.exists("SELECT 1 FROM report_cases WHERE state IN ('open', 'appealed') LIMIT 1")
  }

  /// Whether a case waits about which moderators have not been mailed.
  func isUnnotified(in reader: ReadTransaction) throws -> Bool {
    try reader.exists(
      "SELECT 1 FROM report_cases WHERE told = 0 AND state IN ('open', 'appealed') LIMIT 1")
  }

  /// When moderators were last mailed; nil if never.
  func notifiedAt(in reader: ReadTransaction) throws -> Instant? {
    try reader.value("SELECT sent_at FROM moderator_mail WHERE id = 1")
  }

  // MARK: Reports

  /// Number of reporters per reason in the current or latest round.
  func reasons(of found: ReportCase, in reader: ReadTransaction) throws -> [(
    reason: ReportReason, count: Int
  )] {
    try reader.rows(
      """
      SELECT reason, count(DISTINCT reporter_key) AS n FROM reports
      WHERE case_id = \(found.id) AND round = \(found.round) GROUP BY reason ORDER BY n DESC, reason
      """
    ) { (ReportReason(rawValue: try $0.next()) ?? .other, try $0.next(Int.self)) }
  }

  /// The reporters' own notes.
  func notes(of found: ReportCase, in reader: ReadTransaction) throws -> [String] {
    try reader.values(
      """
      SELECT note FROM reports WHERE case_id = \(found.id) AND round = \(found.round) AND note <> ''
      ORDER BY created_at LIMIT 50
      """, as: String.self)
  }

  func hasOpen(_ found: ID<ReportCase>, by person: ID<Person>, in reader: ReadTransaction) throws
    -> Bool
  {
    try reader.exists(
      "SELECT 1 FROM reports WHERE case_id = \(found) AND user_id = \(person) AND state = 'open'")
  }

  /// Whether the last reports of a user were all rejected.
  func isDistrusted(_ person: ID<Person>, in reader: ReadTransaction) throws -> Bool {
    let last = try reader.values(
      """
      SELECT state FROM reports WHERE user_id = \(person) AND state <> 'open'
      ORDER BY created_at DESC, id DESC LIMIT \(ReportRules.rejectedInARow)
      """, as: String.self)
    return last.count == ReportRules.rejectedInARow && last.allSatisfy { $0 == "rejected" }
  }

  /// Number of reporters that count; two of a couple count as one.
  func countingReporters(_ found: ReportCase, in reader: ReadTransaction) throws -> Int {
    try reader.count(
      """
      SELECT count(DISTINCT reporter_key) FROM reports
      WHERE case_id = \(found.id) AND round = \(found.round) AND counts = 1 AND state = 'open'
      """)
  }

  /// Reports of one user, newest first.
  func reports(
    of person: ID<Person>, limit: Int, in reader: ReadTransaction
  ) throws -> [(report: Report, target: ReportCase)] {
    try reader.rows(
      """
      SELECT r.id, r.reason, r.note, r.state, r.created_at, \(ReportCase.columns)
      FROM reports r JOIN report_cases c ON c.id = r.case_id
      WHERE r.user_id = \(person) ORDER BY r.created_at DESC, r.id DESC LIMIT \(limit)
      """
    ) {
      (
        Report(
          id: try $0.next(), reason: ReportReason(rawValue: try $0.next()) ?? .other,
          note: try $0.next(), state: Report.State(rawValue: try $0.next()) ?? .open,
          createdAt: try $0.next()),
        try ReportCase(&$0)
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
      WHERE couple_id = \(couple) ORDER BY decided_at DESC LIMIT \(limit)
      """, make: PastDecision.init)
  }

  /// All decisions about one case, oldest first.
  func decisions(of found: ID<ReportCase>, in reader: ReadTransaction) throws -> [PastDecision] {
    try reader.rows(
      """
      SELECT case_id, decision, suspended_days, note, decided_by, decided_at FROM decisions
      WHERE case_id = \(found) ORDER BY decided_at, id
      """, make: PastDecision.init)
  }

  /// Decisions in force that suspend a user or the user's couple. Lifting a user's suspension lifts
  /// all earlier decisions.
  func sentences(
    of person: ID<Person>, couple: ID<Couple>?, in reader: ReadTransaction
  ) throws -> [Suspension] {
    try reader.rows(
      """
      SELECT c.decided_at, c.suspended_days, c.decision_note FROM (
        SELECT id FROM report_cases WHERE author_id = \(person)
        UNION SELECT id FROM report_cases WHERE couple_id = \(couple) AND kind = 'couple') AS found
      JOIN report_cases c ON c.id = found.id
      WHERE c.decision = 'suspend' AND c.decided_at > coalesce((
        SELECT p.decided_at FROM report_cases p
        WHERE p.kind = 'person' AND p.thing_id = \(person) AND p.decision = 'dismiss'), 0)
      """
    ) {
      let (decidedAt, days) = (try $0.next(Instant.self), try $0.next(Int64.self))
      return Suspension(
        until: days == 0 ? nil : decidedAt.adding(seconds: .days(days)), why: try $0.next())
    }
  }

  func hasAppealed(_ person: ID<Person>, _ found: ID<ReportCase>, in reader: ReadTransaction) throws
    -> Bool
  {
    try reader.exists("SELECT 1 FROM appeals WHERE case_id = \(found) AND user_id = \(person)")
  }

  func appeal(of found: ID<ReportCase>, in reader: ReadTransaction) throws -> Appeal? {
    try reader.first(
      "SELECT words, created_at, decided_at, granted FROM appeals WHERE case_id = \(found)"
    ) {
      Appeal(
        text: try $0.next(), at: try $0.next(), decidedAt: try $0.next(),
        isGranted: try $0.next())
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
        SELECT id FROM report_cases WHERE author_id = \(person)
        UNION SELECT id FROM report_cases WHERE couple_id = \(couple) AND kind = 'couple') AS found
      JOIN report_cases c ON c.id = found.id
      WHERE c.thing_state <> 'shown' OR c.decision <> 'dismiss'
      ORDER BY coalesce(c.decided_at, c.waiting_since) DESC LIMIT \(limit)
      """, make: ReportCase.init)
  }
}
