import Basics
import Database
import Mail
import Secrets
import Templates

/// The letters about pairing and parting.
struct PairMails {
  private let queue: MailQueue
  private let baseURL: String
  private let invitation: Letter<PairLetter>
  private let taken: Letter<PairLetter>
  private let parted: Letter<PairLetter>
  private let undoAsked: Letter<PairLetter>
  private let undone: Letter<PairLetter>
  private let final: Letter<PairLetter>

  init(templates: TemplateSet, queue: MailQueue, baseURL: String) throws {
    self.queue = queue
    self.baseURL = baseURL
    func letter(_ name: String) throws -> Letter<PairLetter> {
      try Letter(name, templates: templates)
    }
    invitation = try letter("pair-invitation")
    taken = try letter("pair-taken")
    parted = try letter("couple-parted")
    undoAsked = try letter("parting-undo-asked")
    undone = try letter("parting-undone")
    final = try letter("parting-final")
  }

  /// What somebody gets whom `inviter` invites: a link, or for who is in a couple already the
  /// word that they are. Whoever invites never learns which it was; it is in their language.
  func invite(
    _ address: String, by inviter: String, link: Token?, language: Language, now: Instant,
    in writer: Writer
  ) throws {
    let view = PairLetter(
      link: baseURL + (link.map { AccountLinks.acceptPair($0.text) } ?? "/"), baseURL: baseURL,
      partner: inviter, days: Int(PairStore.lifetime / .days(1)))
    try queue.add(
      (link == nil ? taken : invitation).written(view, in: language), to: address, now: now,
      in: writer)
  }

  /// What happened to a couple, to one of the two.
  enum Step {
    case parted
    case undoAsked(by: String)
    case undone
    case final
  }

  func tell(
    _ step: Step, of couple: (id: ID<Couple>, name: String), contactPath: String? = nil,
    to member: Recipient, now: Instant, in writer: Writer
  ) throws {
    let (letter, path, partner): (Letter<PairLetter>, String, String) =
      switch step {
      case .parted: (parted, AccountLinks.part, "")
      case .undoAsked(let asker): (undoAsked, AccountLinks.part, asker)
      case .undone: (undone, AccountLinks.couple(couple.id), "")
      case .final: (final, AccountLinks.couple(couple.id), "")
      }
    let view = PairLetter(
      link: baseURL + path, baseURL: baseURL, name: member.name, partner: partner,
      coupleName: couple.name, days: Int(PartingService.undoable / .days(1)),
      contactLink: contactPath.map { baseURL + $0 })
    try queue.add(
      letter.written(view, in: member.language), to: member.address, now: now, in: writer)
  }
}

/// What stands in the letters about pairing and parting.
struct PairLetter: View {
  let link: String
  let baseURL: String
  var name = ""
  var partner = ""
  var coupleName = ""
  let days: Int
  /// Where the reader decides about their partner as emergency contact.
  var contactLink: String?

  static let fields: [String: Field<PairLetter>] = [
    "link": .text { $0.link },
    "base_url": .text { $0.baseURL },
    "name": .name { $0.name },
    "partner": .name { $0.partner },
    "couple_name": .name { $0.coupleName },
    "days": .integer { $0.days },
    "contact_link": .optionalText { $0.contactLink },
  ]
}
