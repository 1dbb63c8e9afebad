import Core
import Database
import Mail
import Secrets
import Templates

/// Queues the mails about pairing and separating.
struct PairMailer {
  private let queue: MailQueue
  private let baseURL: String
  private let invitation: MailTemplate<PairMail>
  private let taken: MailTemplate<PairMail>
  private let parted: MailTemplate<PairMail>
  private let undoAsked: MailTemplate<PairMail>
  private let undone: MailTemplate<PairMail>
  private let final: MailTemplate<PairMail>

  init(templates: TemplateSet, queue: MailQueue, baseURL: String) throws {
    self.queue = queue
    self.baseURL = baseURL
    func template(_ name: String) throws -> MailTemplate<PairMail> {
      try MailTemplate(name, templates: templates)
    }
    invitation = try template("couples/pair-invitation")
    taken = try template("couples/pair-taken")
    parted = try template("couples/couple-parted")
    undoAsked = try template("couples/parting-undo-asked")
    undone = try template("couples/parting-undone")
    final = try template("couples/parting-final")
  }

  /// The mail to an invited address, in the inviter's language: a link, or a note that the
  /// recipient is already in a couple. The inviter never learns which mail was sent.
  func invite(
    _ address: String, by inviter: String, link: Token?, language: Language, now: Instant,
    in writer: WriteTransaction
  ) throws {
    let view = PairMail(
      link: baseURL + (link.map { AccountLinks.acceptPair($0.text) } ?? "/"), baseURL: baseURL,
      partner: inviter, days: Int(PairStore.links.lifetime / .days(1)))
    try queue.add(
      (link == nil ? taken : invitation).written(view, in: language), to: address, now: now,
      in: writer)
  }

  /// An event of a couple, for a mail to one of its members.
  enum Step {
    case parted
    case undoAsked(by: String)
    case undone
    case final
  }

  func notify(
    _ step: Step, of couple: (id: ID<Couple>, name: String), contactPath: String? = nil,
    to member: Recipient, now: Instant, in writer: WriteTransaction
  ) throws {
    let (template, path, partner): (MailTemplate<PairMail>, String, String) =
      switch step {
      case .parted: (parted, AccountLinks.part, "")
      case .undoAsked(let asker): (undoAsked, AccountLinks.part, asker)
      case .undone: (undone, AccountLinks.couple(couple.id), "")
      case .final: (final, AccountLinks.couple(couple.id), "")
      }
    let view = PairMail(
      link: baseURL + path, baseURL: baseURL, name: member.name, partner: partner,
      coupleName: couple.name, days: Int(SeparationService.undoable / .days(1)),
      contactLink: contactPath.map { baseURL + $0 })
    try queue.add(
      template.written(view, in: member.language), to: member.address, now: now, in: writer)
  }
}

/// Template values of the mails about pairing and separating.
struct PairMail: View {
  let link: String
  let baseURL: String
  var name = ""
  var partner = ""
  var coupleName = ""
  let days: Int
  /// The page where the recipient decides about their partner as emergency contact.
  var contactLink: String?

  static let fields: [String: Field<PairMail>] = [
    "link": .text { $0.link },
    "base_url": .text { $0.baseURL },
    "name": .name { $0.name },
    "partner": .name { $0.partner },
    "couple_name": .name { $0.coupleName },
    "days": .integer { $0.days },
    "contact_link": .optionalText { $0.contactLink },
  ]
}
