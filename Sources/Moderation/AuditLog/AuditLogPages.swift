import Accounts
import Core
import Database
import Foundation
import HTTPTypes
import Templates
import Web

/// `/admin/log`: all actions of staff; POST downloads the whole log as CSV.
struct AuditLogPages {
  /// Entries read per query for the file.
  private static let part = 1000

  private let services: ModerationEnvironment
  private let page: Page<AuditLogView>

  init(_ services: ModerationEnvironment) throws {
    self.services = services
    page = try Page("staff/log", title: "admin.log", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let before = context.request.queryValue("before").flatMap { Int64($0, in: 0 ... .max) }
    let found = try services.site.database.read {
      try services.log.entries(before: before, limit: AuditLog.pageSize + 1, in: $0)
    }
    let shown = found.prefix(AuditLog.pageSize)
    let formatter = AuditLogFormatter(context: context)
    let view = AuditLogView(
      entries: shown.map {
        AuditLogEntryView(
          entry: $0, moment: formatter.moment($0), actor: formatter.actor($0),
          details: formatter.details($0),
          action: context.text("admin.log.action_\($0.action)"),
          kind: $0.kind == "log" ? "" : context.text("admin.report.kind_\($0.kind)"))
      },
      older: found.count > shown.count
        ? shown.last.map { "\(ModerationLinks.log)?before=\($0.number)" } : nil)
    return page.response(view, context)
  }

  /// Downloads the log, which is itself logged.
  @Sendable func export(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    try services.site.database.write {
      try services.log.add(
        .export, to: nil, couple: nil, details: "", note: "", by: viewer, now: context.now, in: $0)
    }
    var text = "at,moderator,action,kind,subject,details,note\r\n"
    var last: Int64?
    while true {
      let entries = try services.site.database.read {
        try services.log.entries(after: last, limit: Self.part, in: $0)
      }
      for entry in entries {
        let cells = [
          entry.at.rfc3339, entry.actor, entry.action, entry.kind, entry.subject, entry.details,
          entry.note,
        ]
        text += cells.map(Self.cell).joined(separator: ",") + "\r\n"
      }
      guard entries.count == Self.part else { break }
      last = entries.last?.number
    }
    return Response(
      .ok,
      headers: [
        .contentType: "text/csv; charset=utf-8",
        .contentDisposition: "attachment; filename=\"pairspot-log.csv\"",
      ], body: Array(text.utf8))
  }

  /// A CSV field (RFC 4180). A text that a spreadsheet would run as a formula gets a leading
  /// apostrophe.
  static func cell(_ text: String) -> String {
    let isFormula = text.first.map { "=+-@\t\r\n".contains($0) } ?? false
    let safe = isFormula ? "'\(text)" : text
    guard safe.contains(where: { ",\"\r\n".contains($0) }) else { return safe }
    return "\"\(safe.replacing("\"", with: "\"\""))\""
  }
}

/// Log entries in the viewer's language; the stored details, and the file, are in English.
struct AuditLogFormatter {
  let context: Context

  func moment(_ entry: AuditLogEntry) -> String { DateFormatting(context).moment(entry.at) }

  func actor(_ entry: AuditLogEntry) -> String {
    entry.actor == AuditLog.atTheServer ? context.text("admin.log.server") : entry.actor
  }

  /// Duration, "after an appeal" and the previous decision; a training keeps its name.
  func details(_ entry: AuditLogEntry) -> String {
    if entry.kind == "training" || entry.details.isEmpty { return entry.details }
    if entry.action == AuditAction.changeRole.rawValue { return roles(entry.details) }
    return entry.details.components(separatedBy: ", ").map(part).joined(separator: " · ")
  }

  private func roles(_ details: String) -> String {
    let roles = details.components(separatedBy: " → ")
    guard roles.count == 2, roles.allSatisfy(["guest", "member", "moderator", "admin"].contains)
    else { return details }
    return context.text(
      "admin.log.role_change",
      [
        "before": context.text("admin.status.\(roles[0])"),
        "after": context.text("admin.status.\(roles[1])"),
      ])
  }

  private func part(_ part: String) -> String {
    if part == DecisionService.forGood { return context.text("admin.report.permanently") }
    if part == DecisionService.afterAppeal { return context.text("admin.log.after_appeal") }
    if part.hasSuffix(" days"), let days = Int(part.dropLast(" days".count)) {
      return context.text("admin.report.days", count: days)
    }
    if part.hasPrefix("before: "),
      let before = Decision(rawValue: String(part.dropFirst("before: ".count)))
    {
      return context.text(
        "admin.log.before", ["decision": context.text("admin.decision.\(before.rawValue)")])
    }
    return part
  }
}

struct AuditLogView: View {
  let entries: [AuditLogEntryView]
  let older: String?

  static let fields: [String: Field<AuditLogView>] = [
    "entries": .list { $0.entries },
    "empty": .flag { $0.entries.isEmpty },
    "older": .optionalText { $0.older },
    "action": .text { _ in ModerationLinks.log },
  ]
}

struct AuditLogEntryView: View {
  let entry: AuditLogEntry
  let moment: String
  let actor: String
  let details: String
  let action: String
  let kind: String

  static let fields: [String: Field<AuditLogEntryView>] = [
    "moment": .text { $0.moment },
    "iso": .text { $0.entry.at.rfc3339 },
    "actor": .text { $0.actor },
    "action": .text { $0.action },
    "kind": .text { $0.kind },
    "subject": .text { $0.entry.subject },
    "details": .text { $0.details },
    "note": .text { $0.entry.note },
  ]
}
