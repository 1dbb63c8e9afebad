import Accounts
import Core
import Database
import Mail
import Templates
import Web

/// Mails moderators about waiting cases: at most once an hour, and only if there are new ones or a
/// day has passed (docs/developer/moderation.md).
struct ModeratorMailer: Sendable {
  /// Minimum interval; below, interval of reminders; in s.
  static let minimumInterval: Int64 = .hours(1)
  static let reminder: Int64 = .days(1)

  private let services: ModerationEnvironment
  private let queue: MailQueue
  private let template: MailTemplate<ModeratorMail>

  init(_ services: ModerationEnvironment, queue: MailQueue) throws {
    self.services = services
    self.queue = queue
    template = try MailTemplate("staff/reports-waiting", templates: services.site.templates)
  }

  func notify(now: Instant) throws {
    let isDue = try services.site.database.read { try self.isDue(now: now, in: $0) }
    guard isDue else { return }
    try services.site.database.write { writer in
      // Another worker may have sent it.
      guard try self.isDue(now: now, in: writer) else { return }
      try CaseWriter(writer: writer).markNotified(now: now)
      let count =
        try services.cases.count(.open, in: writer)
        + services.cases.count(.appealed, in: writer)
      for person in try services.moderationStatuses.staff(in: writer) {
        guard let card = try services.directory.card(person, in: writer),
          let address = card.address
        else { continue }
        let view = ModeratorMail(
          name: card.name, count: count,
          link: services.site.baseURL + ModerationLinks.queue, baseURL: services.site.baseURL)
        try queue.add(
          template.written(view, in: card.language ?? services.site.defaultLanguage), to: address,
          now: now, in: writer)
      }
    }
  }

  private func isDue(now: Instant, in reader: ReadTransaction) throws -> Bool {
    guard try services.cases.isWaiting(in: reader) else { return false }
    guard let last = try services.cases.notifiedAt(in: reader) else { return true }
    let age = now.seconds(since: last)
    guard age >= Self.minimumInterval else { return false }
    return try age >= Self.reminder || services.cases.isUnnotified(in: reader)
  }
}

/// Contents of the mail.
struct ModeratorMail: View {
  let name: String
  let count: Int
  let link: String
  let baseURL: String

  static let fields: [String: Field<ModeratorMail>] = [
    "name": .name { $0.name },
    "count": .integer { $0.count },
    "link": .text { $0.link },
    "base_url": .text { $0.baseURL },
  ]
}
