import Core
import Database

/// The SQL of reports and their reporters.
extension CaseStore {
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

  /// The reporters of the current or latest round, each with the outcomes of their reports about
  /// other things.
  func reporters(of found: ReportCase, in reader: ReadTransaction) throws
    -> [(id: ID<Person>, upheld: Int, rejected: Int)]
  {
    try reader.rows(
      """
      SELECT r.user_id,
        (SELECT count(*) FROM reports o WHERE o.user_id = r.user_id AND o.case_id <> r.case_id
          AND o.state = 'upheld'),
        (SELECT count(*) FROM reports o WHERE o.user_id = r.user_id AND o.case_id <> r.case_id
          AND o.state = 'rejected')
      FROM reports r WHERE r.case_id = \(found.id) AND r.round = \(found.round)
      ORDER BY r.created_at LIMIT 10
      """
    ) { (try $0.next(), try $0.next(), try $0.next()) }
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
      SELECT \(Self.ownReport) FROM reports r JOIN report_cases c ON c.id = r.case_id
      WHERE r.user_id = \(person) ORDER BY r.created_at DESC, r.id DESC LIMIT \(limit)
      """, make: Self.ownReport)
  }

  /// Undecided reports of one user about posts, newest first.
  func openPostReports(
    of person: ID<Person>, limit: Int, in reader: ReadTransaction
  ) throws -> [(report: Report, target: ReportCase)] {
    try reader.rows(
      """
      SELECT \(Self.ownReport) FROM reports r CROSS JOIN report_cases c
      WHERE c.id = r.case_id AND r.user_id = \(person) AND r.state = 'open'
        AND c.kind = 'post' AND c.part = '' AND c.is_message = 0 AND c.is_moment = 0
      ORDER BY r.created_at DESC, r.id DESC LIMIT \(limit)
      """, make: Self.ownReport)
  }

  /// A report of this user.
  func report(
    _ id: ID<Report>, of person: ID<Person>, in reader: ReadTransaction
  ) throws -> (report: Report, target: ReportCase)? {
    try reader.first(
      """
      SELECT \(Self.ownReport) FROM reports r JOIN report_cases c ON c.id = r.case_id
      WHERE r.id = \(id) AND r.user_id = \(person)
      """, make: Self.ownReport)
  }

  private static let ownReport: Query = """
    r.id, r.reason, r.note, r.state, r.created_at, \(ReportCase.columns)
    """

  private static func ownReport(_ row: inout RowReader) throws -> (Report, ReportCase) {
    (
      Report(
        id: try row.next(), reason: ReportReason(rawValue: try row.next()) ?? .other,
        note: try row.next(), state: Report.State(rawValue: try row.next()) ?? .open,
        createdAt: try row.next()),
      try ReportCase(&row)
    )
  }
}
