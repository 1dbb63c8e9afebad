import Core
import Database

/// Consistency checks of reports.
enum ModerationDoctor {
  static let checks = [
    reportersAreCounted, decidedReportsAreDecided, reasonsAreInTheirPlace, logIsWhole,
  ]

  private static let miscounted: Query = """
    SELECT c.id, c.reporters, count(DISTINCT r.reporter_key) FROM report_cases c
    LEFT JOIN reports r ON r.case_id = c.id AND r.round = c.round
    GROUP BY c.id HAVING c.reporters <> count(DISTINCT r.reporter_key)
    """

  private static let reportersAreCounted = DoctorCheck(
    "reporter counts are correct",
    find: {
      try $0.rows(miscounted) {
        "case \(try $0.next(ID<ReportCase>.self)) has the count \(try $0.next(Int.self)) but \(try $0.next(Int.self)) reporters"
      }
    },
    repairInSteps: { database in
      let all = try database.read {
        try $0.values("SELECT id FROM (\(miscounted)) AS miscounted", as: ID<ReportCase>.self)
      }
      try database.writeInBatches(all) { try CaseWriter(writer: $1).recount($0) }
    })

  private static let misplaced: Query = """
    SELECT id, reason FROM (
      SELECT r.reason, c.state, c.rank, c.id FROM reports r JOIN report_cases c
        ON c.id = r.case_id
      EXCEPT SELECT reason, state, rank, case_id FROM case_reasons) a
    UNION SELECT case_id, reason FROM (
      SELECT reason, state, rank, case_id FROM case_reasons
      EXCEPT SELECT r.reason, c.state, c.rank, c.id FROM reports r JOIN report_cases c
        ON c.id = r.case_id) b
    """

  private static let reasonsAreInTheirPlace = DoctorCheck(
    "the queues by reason are correct",
    find: {
      try $0.rows(misplaced) {
        "case \(try $0.next(ID<ReportCase>.self)) is wrong in the queue for \(try $0.next(String.self))"
      }
    },
    repairInSteps: { database in
      let all = Set(
        try database.read {
          try $0.values("SELECT id FROM (\(misplaced)) AS misplaced", as: ID<ReportCase>.self)
        })
      try database.writeInBatches(Array(all)) { id, writer in
        try writer.execute("DELETE FROM case_reasons WHERE case_id = \(id)")
        try writer.execute(
          """
          INSERT INTO case_reasons (reason, state, rank, case_id)
          SELECT DISTINCT r.reason, c.state, c.rank, c.id FROM reports r JOIN report_cases c
            ON c.id = r.case_id WHERE c.id = \(id)
          """)
      }
    })

  /// Entries are numbered from 1 without gaps. A missing entry cannot be restored.
  private static let logIsWhole = DoctorCheck("the staff log has no gaps") {
    try $0.rows(
      "SELECT count(*), max(number) FROM staff_log HAVING count(*) <> coalesce(max(number), 0)"
    ) {
      "the log has \(try $0.next(Int.self)) entries, but the last number is \(try $0.next(Int.self))"
    }
  }

  /// An open report belongs to an open case.
  private static let decidedReportsAreDecided = DoctorCheck(
    "no open report is in a closed case"
  ) {
    try $0.rows(
      """
      SELECT lower(hex(r.id)), c.state FROM reports r JOIN report_cases c ON c.id = r.case_id
      WHERE r.state = 'open' AND (r.round < c.round OR c.state = 'dismissed')
      """
    ) { "report \(try $0.next(String.self)) is open, but its case is \(try $0.next(String.self))" }
  }
}
