import Core
import Database
import Mail
import Secrets
import Templates

/// Queues the mails about a changed address.
struct EmailChangeMailer {
  private let queue: MailQueue
  private let baseURL: String
  private let verify: MailTemplate<EmailChangeMail>
  private let taken: MailTemplate<EmailChangeMail>
  private let changed: MailTemplate<EmailChangeMail>
  private let restored: MailTemplate<EmailChangeMail>

  init(templates: TemplateSet, queue: MailQueue, baseURL: String) throws {
    self.queue = queue
    self.baseURL = baseURL
    verify = try MailTemplate("settings/email-verify", templates: templates)
    taken = try MailTemplate("settings/email-taken", templates: templates)
    changed = try MailTemplate("settings/email-changed", templates: templates)
    restored = try MailTemplate("settings/email-brought-back", templates: templates)
  }

  /// To the new address. It contains no name, since the address may belong to another person.
  func verifyAddress(
    _ token: Token, to address: String, language: Language, now: Instant,
    in writer: WriteTransaction
  ) throws {
    let view = template(
      AccountLinks.confirmEmail(token.text), hours: Int(EmailChangeStore.links.lifetime / 3600))
    try queue.add(verify.written(view, in: language), to: address, now: now, in: writer)
  }

  /// To a member whose address another user entered as their new one.
  func addressIsTaken(to member: Recipient, now: Instant, in writer: WriteTransaction) throws {
    let view = template(AccountLinks.signIn, name: member.name)
    try queue.add(
      taken.written(view, in: member.language), to: member.address, now: now, in: writer)
  }

  /// To a member's previous address, with a link to undo the change.
  func addressWasChanged(
    from member: Recipient, to address: String, undo: Token, now: Instant,
    in writer: WriteTransaction
  ) throws {
    let view = template(
      AccountLinks.undoEmail(undo.text), name: member.name,
      address: AccountRules.masked(address), days: Int(EmailUndoStore.links.lifetime / 86_400))
    try queue.add(
      changed.written(view, in: member.language), to: member.address, now: now, in: writer)
  }

  /// To the address that a member had until its change was undone.
  func addressWasRestored(
    from member: Recipient, to address: String, now: Instant, in writer: WriteTransaction
  ) throws {
    let view = template("/about", name: member.name, address: AccountRules.masked(address))
    try queue.add(
      restored.written(view, in: member.language), to: member.address, now: now, in: writer)
  }

  private func template(
    _ path: String, name: String = "", address: String = "", hours: Int = 0, days: Int = 0
  ) -> EmailChangeMail {
    EmailChangeMail(
      link: baseURL + path, baseURL: baseURL, name: name, address: address, hours: hours,
      days: days)
  }
}

/// Template values of these mails.
struct EmailChangeMail: View {
  let link: String
  let baseURL: String
  let name: String
  let address: String
  let hours: Int
  let days: Int

  static let fields: [String: Field<EmailChangeMail>] = [
    "link": .text { $0.link },
    "base_url": .text { $0.baseURL },
    "name": .name { $0.name },
    "address": .name { $0.address },
    "hours": .integer { $0.hours },
    "days": .integer { $0.days },
  ]
}
