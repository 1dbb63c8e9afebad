import Core
import Database
import Mail
import Templates

/// Queues mails about changes of a user's second factor, passkeys or staff role.
struct SecondFactorMailer {
  enum SecurityChange {
    case turnedOn
    case turnedOff
    case recoveryCodesMade
    case recoveryCodeUsed
    case madeStaff
    case noStaff
    case signedOut
    case passkeyAdded
    case passkeyRemoved
    /// Its counter went back.
    case passkeyCopied
  }

  private let people: PersonStore
  private let queue: MailQueue
  private let baseURL: String
  private let fallback: Language
  private let template: MailTemplate<SecondFactorMail>

  init(
    templates: TemplateSet, people: PersonStore, queue: MailQueue, baseURL: String,
    fallback: Language
  ) throws {
    self.people = people
    self.queue = queue
    self.baseURL = baseURL
    self.fallback = fallback
    template = try MailTemplate("accounts/second-factor", templates: templates)
  }

  /// Queues the mail, in the user's own language.
  func notify(
    _ change: SecurityChange, _ person: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws {
    guard let recipient = try people.recipient(person, language: fallback, in: writer) else {
      return
    }
    let view = SecondFactorMail(
      change: change, name: recipient.name, link: baseURL + AccountLinks.reset, baseURL: baseURL
    )
    try queue.add(
      template.written(view, in: recipient.language), to: recipient.address, now: now, in: writer)
  }
}

struct SecondFactorMail: View {
  let change: SecondFactorMailer.SecurityChange
  let name: String
  let link: String
  let baseURL: String

  static let fields: [String: Field<SecondFactorMail>] = [
    "name": .name { $0.name },
    "link": .text { $0.link },
    "base_url": .text { $0.baseURL },
    "turned_on": .flag { $0.change == .turnedOn },
    "turned_off": .flag { $0.change == .turnedOff },
    "codes_made": .flag { $0.change == .recoveryCodesMade },
    "code_used": .flag { $0.change == .recoveryCodeUsed },
    "made_staff": .flag { $0.change == .madeStaff },
    "no_staff": .flag { $0.change == .noStaff },
    "signed_out": .flag { $0.change == .signedOut },
    "passkey_added": .flag { $0.change == .passkeyAdded },
    "passkey_removed": .flag { $0.change == .passkeyRemoved },
    "passkey_copied": .flag { $0.change == .passkeyCopied },
  ]
}
