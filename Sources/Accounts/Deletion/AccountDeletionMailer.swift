import Core
import Database
import Mail
import Templates

/// Queues the mails about a deleted and a restored account.
struct AccountDeletionMailer: Sendable {
  private let queue: MailQueue
  private let baseURL: String
  private let accountDeleted: MailTemplate<AccountDeletionMail>
  private let accountRestored: MailTemplate<AccountDeletionMail>

  init(templates: TemplateSet, queue: MailQueue, baseURL: String) throws {
    self.queue = queue
    self.baseURL = baseURL
    accountDeleted = try MailTemplate("accounts/account-deleted", templates: templates)
    accountRestored = try MailTemplate("accounts/account-restored", templates: templates)
  }

  /// `until` is the formatted end of the time to restore.
  func deleted(
    until: String, to member: Recipient, now: Instant, in writer: WriteTransaction
  ) throws {
    try send(
      accountDeleted, to: member, path: AccountLinks.signIn, until: until, now: now, in: writer)
  }

  func restored(to member: Recipient, now: Instant, in writer: WriteTransaction) throws {
    try send(accountRestored, to: member, path: AccountLinks.reset, now: now, in: writer)
  }

  private func send(
    _ template: MailTemplate<AccountDeletionMail>, to member: Recipient, path: String,
    until: String = "",
    now: Instant, in writer: WriteTransaction
  ) throws {
    let view = AccountDeletionMail(
      link: baseURL + path, baseURL: baseURL, name: member.name, until: until)
    try queue.add(
      template.written(view, in: member.language), to: member.address, now: now, in: writer)
  }
}

struct AccountDeletionMail: View {
  let link: String
  let baseURL: String
  let name: String
  let until: String

  static let fields: [String: Field<AccountDeletionMail>] = [
    "link": .text { $0.link },
    "base_url": .text { $0.baseURL },
    "name": .name { $0.name },
    "until": .text { $0.until },
  ]
}
