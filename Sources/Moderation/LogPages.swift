import Accounts
import Basics
import Database
import Foundation
import HTTPTypes
import Templates
import Web

/// `/admin/log`: every action of every moderator; POSTed it is a file of all of them.
struct LogPages {
  /// How many lines are read at once for the file.
  private static let part = 1000

  private let services: ModerationServices
  private let page: Template<LogView>

  init(_ services: ModerationServices) throws {
    self.services = services
    page = try services.site.templates.template("staff/log")
  }

  @Sendable func show(_ request: Request, _ context: Context) throws -> Response {
    let before = request.queryValue("before").flatMap { Int64($0, in: 0 ... .max) }
    let found = try services.site.database.read {
      try services.log.entries(before: before, limit: StaffLog.pageSize + 1, in: $0)
    }
    let shown = found.prefix(StaffLog.pageSize)
    let words = LogWords(context: context)
    let view = LogView(
      page: PageView(context, title: "admin.log"),
      entries: shown.map {
        LogEntryView(
          entry: $0, moment: words.moment($0), actor: words.actor($0), details: words.details($0),
          action: context.text("admin.log.action_\($0.action)"),
          kind: $0.kind == "log" ? "" : context.text("admin.report.kind_\($0.kind)"))
      },
      older: found.count > shown.count
        ? shown.last.map { "\(ModerationLinks.log)?before=\($0.number)" } : nil)
    return .html(page.render(view, in: context.language))
  }

  /// Taking the log out is an action too.
  @Sendable func export(_ request: Request, _ context: Context) throws -> Response {
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

  /// A cell by RFC 4180; what a spreadsheet would take for a formula gets a mark before it.
  static func cell(_ text: String) -> String {
    let isFormula = text.first.map { "=+-@\t\r\n".contains($0) } ?? false
    let safe = isFormula ? "'\(text)" : text
    guard safe.contains(where: { ",\"\r\n".contains($0) }) else { return safe }
    return "\"\(safe.replacing("\"", with: "\"\""))\""
  }
}

/// Lines of the log in a reader's words: what stands in them, and in the file, is English.
struct LogWords {
  let context: Context

  func moment(_ entry: LogEntry) -> String { When(context).moment(entry.at) }

  func actor(_ entry: LogEntry) -> String {
    entry.actor == StaffLog.atTheServer ? context.text("admin.log.server") : entry.actor
  }

  /// For how long, after an appeal, what it was before; a training is called by its name.
  func details(_ entry: LogEntry) -> String {
    if entry.kind == "training" || entry.details.isEmpty { return entry.details }
    if entry.action == StaffDeed.changeRole.rawValue { return roles(entry.details) }
    return entry.details.components(separatedBy: ", ").map(part).joined(separator: " · ")
  }

  private func roles(_ details: String) -> String {
    let roles = details.components(separatedBy: " → ")
    guard roles.count == 2, roles.allSatisfy(["guest", "member", "moderator", "admin"].contains)
    else { return details }
    return context.text(
      "admin.log.role_change",
      [
        "before": context.text("admin.standing.\(roles[0])"),
        "after": context.text("admin.standing.\(roles[1])"),
      ])
  }

  private func part(_ part: String) -> String {
    if part == DecisionDesk.forGood { return context.text("admin.report.for_good") }
    if part == DecisionDesk.afterAppeal { return context.text("admin.log.after_appeal") }
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

struct LogView: View {
  let page: PageView
  let entries: [LogEntryView]
  let older: String?

  static let fields: [String: Field<LogView>] = [
    "page": .child { $0.page },
    "entries": .list { $0.entries },
    "empty": .flag { $0.entries.isEmpty },
    "older": .optionalText { $0.older },
    "action": .text { _ in ModerationLinks.log },
  ]
}

struct LogEntryView: View {
  let entry: LogEntry
  let moment: String
  let actor: String
  let details: String
  let action: String
  let kind: String

  static let fields: [String: Field<LogEntryView>] = [
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
