import Core
import Database
import Mail
import Templates

/// Queues the mail about a linked or unlinked provider.
struct ProviderMailer {
  private let queue: MailQueue
  private let baseURL: String
  private let template: MailTemplate<ProviderMail>

  init(templates: TemplateSet, queue: MailQueue, baseURL: String) throws {
    self.queue = queue
    self.baseURL = baseURL
    template = try MailTemplate("accounts/provider", templates: templates)
  }

  /// `provider` is the name that users see.
  func changed(
    _ provider: String, isLinked: Bool, to member: Recipient, now: Instant,
    in writer: WriteTransaction
  ) throws {
    let view = ProviderMail(
      provider: provider, isLinked: isLinked, name: member.name,
      link: baseURL + AccountLinks.reset, baseURL: baseURL)
    try queue.add(
      template.written(view, in: member.language), to: member.address, now: now, in: writer)
  }
}

struct ProviderMail: View {
  let provider: String
  let isLinked: Bool
  let name: String
  let link: String
  let baseURL: String

  static let fields: [String: Field<ProviderMail>] = [
    "provider": .text { $0.provider },
    "linked": .flag { $0.isLinked },
    "name": .name { $0.name },
    "link": .text { $0.link },
    "base_url": .text { $0.baseURL },
  ]
}
