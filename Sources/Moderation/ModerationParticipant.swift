import Accounts
import Core
import Database
import Foundation

/// This module's part of an account: a user's reports and the decisions about the user. The audit
/// log contains only identifiers of users, and stays.
struct ModerationParticipant: AccountParticipant {
  let services: ModerationEnvironment

  /// A guest can neither post nor report, but can lead a group and be suspended; suspensions are
  /// moved.
  let tables = [
    PersonalTable("reports", purge: .custom), PersonalTable("appeals", merge: .move),
    PersonalTable("moderation_notices", merge: .move),
    PersonalTable("report_cases", owner: "author_id", merge: .move),
  ]

  func export(_ person: ID<Person>, from reader: ReadTransaction) throws -> [ExportedFile] {
    let reports = try reader.rows(
      """
      SELECT \(ReportCase.kind), r.reason, r.note, r.state, r.created_at FROM reports r
      JOIN report_cases c ON c.id = r.case_id WHERE r.user_id = \(person) ORDER BY r.created_at
      """
    ) {
      ExportedReport(
        about: try $0.next(), reason: try $0.next(), note: try $0.next(), outcome: try $0.next(),
        createdAt: try $0.next(Instant.self).rfc3339)
    }
    let decisions = try reader.rows(
      """
      SELECT \(ReportCase.kind), d.decision, d.suspended_days, d.note, d.decided_at, a.words
      FROM report_cases c JOIN decisions d ON d.case_id = c.id
      LEFT JOIN appeals a ON a.case_id = c.id AND a.user_id = c.author_id
      WHERE c.author_id = \(person) ORDER BY d.decided_at
      """
    ) {
      ExportedDecision(
        about: try $0.next(), decision: try $0.next(), suspendedDays: try $0.next(),
        note: try $0.next(), decidedAt: try $0.next(Instant.self).rfc3339, appeal: try $0.next())
    }
    return [
      try ExportedFile(name: "reports.json", encoding: reports),
      try ExportedFile(name: "decisions.json", encoding: decisions),
    ]
  }

  func exportedMedia(of person: ID<Person>, from reader: ReadTransaction) throws -> [ExportedMedia]
  { [] }

  /// Deletes the user's reports, and with the posts the decisions about them.
  func purge(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws -> [String] {
    let reported = try writer.values(
      "DELETE FROM reports WHERE user_id = \(person) RETURNING case_id", as: ID<ReportCase>.self)
    for found in Set(reported) { try CaseWriter(writer: writer).recount(found) }
    try tables.purge(person, in: writer)
    return []
  }

  func merge(
    guest: ID<Person>, into member: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws {
    try tables.merge(guest: guest, into: member, in: writer)
    try SuspensionCalculator(services: services).apply(to: member, now: now, in: writer)
  }

  func left(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    // The user's reports still need a decision.
  }

  func returned(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    // A suspension is a column of the user and is restored with the user.
  }

  func moved(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    // Times are shown in the viewer's current time zone.
  }

  func signOut(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    // No browser stores anything about reports.
  }
}

private struct ExportedReport: Encodable {
  let about: String
  let reason: String
  let note: String
  let outcome: String
  let createdAt: String
}

private struct ExportedDecision: Encodable {
  let about: String
  let decision: String
  let suspendedDays: Int?
  let note: String
  let decidedAt: String
  let appeal: String?
}
