import Database

/// What holds of reports at every moment.
enum ModerationDoctor {
  static let checks = [
    reportersAreCounted, decidedReportsAreDecided, reasonsAreInTheirPlace, logIsWhole,
  ]

  private static let reportersAreCounted = DoctorCheck(
    "reporters are counted right",
    find: {
      try $0.rows(
        """
        SELECT lower(hex(c.id)), c.reporters, count(DISTINCT r.reporter_key) FROM report_cases c
        LEFT JOIN reports r ON r.case_id = c.id AND r.round = c.round
        GROUP BY c.id HAVING c.reporters <> count(DISTINCT r.reporter_key)
        """
      ) { "case \($0.text(0)) says \($0.int(1)) reporters and has \($0.int(2))" }
    },
    repair: { writer in
      let all = try writer.rows("SELECT id FROM report_cases") { try $0.id(0, Case.self) }
      for id in all { try CaseWriter(writer: writer).recount(id) }
    })

  private static let reasonsAreInTheirPlace = DoctorCheck(
    "the queue by reason is the queue",
    find: {
      try $0.rows(
        """
        SELECT lower(hex(id)), reason FROM (
          SELECT r.reason, c.state, c.rank, c.id FROM reports r JOIN report_cases c
            ON c.id = r.case_id
          EXCEPT SELECT reason, state, rank, case_id FROM case_reasons)
        UNION SELECT lower(hex(case_id)), reason FROM (
          SELECT reason, state, rank, case_id FROM case_reasons
          EXCEPT SELECT r.reason, c.state, c.rank, c.id FROM reports r JOIN report_cases c
            ON c.id = r.case_id)
        """
      ) { "case \($0.text(0)) stands wrong for \($0.text(1))" }
    },
    repair: { writer in
      try writer.execute("DELETE FROM case_reasons")
      try writer.execute(
        """
        INSERT OR IGNORE INTO case_reasons (reason, state, rank, case_id)
        SELECT r.reason, c.state, c.rank, c.id FROM reports r JOIN report_cases c
          ON c.id = r.case_id
        """)
    })

  /// Lines are numbered from 1 on, and nobody takes one out: what is missing can't be made again.
  private static let logIsWhole = DoctorCheck("no line of the staff's log is missing") {
    try $0.rows(
      "SELECT count(*), max(number) FROM staff_log HAVING count(*) <> coalesce(max(number), 0)"
    ) { "the log has \($0.int(0)) lines, and the last one is number \($0.int(1))" }
  }

  /// A report that waits belongs to something that waits.
  private static let decidedReportsAreDecided = DoctorCheck(
    "no report waits where all is decided"
  ) {
    try $0.rows(
      """
      SELECT lower(hex(r.id)), c.state FROM reports r JOIN report_cases c ON c.id = r.case_id
      WHERE r.state = 'open' AND (r.round < c.round OR c.state = 'dismissed')
      """
    ) { "report \($0.text(0)) waits, and its case is \($0.text(1))" }
  }
}
