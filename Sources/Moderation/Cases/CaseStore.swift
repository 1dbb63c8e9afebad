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
          AND (\(filter.reason == nil) = 1 OR EXISTS (
            SELECT 1 FROM reports r
            WHERE r.case_id = c.id AND r.reason = \(filter.reason?.rawValue ?? "")))
        ORDER BY c.rank, c.id LIMIT \(limit)
        """, make: ReportCase.init)
    }
    // The rank of a waiting case is at most its waiting time in ms, so higher ranks can be skipped.
    let last = filter.state.waits ? since.milliseconds : .max
    if let reason = filter.reason {
      return try reader.rows(
        """
        SELECT \(ReportCase.columns) FROM case_reasons q
        CROSS JOIN report_cases c WHERE c.id = q.case_id
          AND q.reason = \(reason.rawValue) AND q.state = \(filter.state.rawValue)
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

  /// The latest decision, if this moderator made it not long ago and nothing has happened since.
  func undoable(
    _ found: ReportCase, by moderator: ID<Person>, now: Instant, in reader: ReadTransaction
  ) throws -> UndoableDecision? {
    guard let decision = found.decision, let decidedAt = found.decidedAt,
      found.state == decision.state(of: found.target.kind),
      now.seconds(since: decidedAt) < ReportRules.undoPeriod
    else { return nil }
    let last = try reader.first(
      """
      SELECT id, state_before, thing_state_before, moderator_id FROM decisions
      WHERE case_id = \(found.id) ORDER BY decided_at DESC, id DESC LIMIT 1
      """
    ) {
      (
        id: try $0.next(ID<PastDecision>.self), state: try $0.next(String?.self),
        target: try $0.next(String?.self), moderator: try $0.next(ID<Person>?.self)
      )
    }
    guard let last, last.moderator == moderator,
      let state = last.state.flatMap(CaseState.init(rawValue:)),
      let target = last.target.flatMap(ReportTargetState.init(rawValue:))
    else { return nil }
    return UndoableDecision(id: last.id, state: state, targetState: target)
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
