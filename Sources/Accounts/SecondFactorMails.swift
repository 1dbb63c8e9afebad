import Basics
import Database
import Mail
import Templates

/// The letter about what happened to somebody's second factor, or to their powers.
struct SecondFactorMails {
  enum News {
    case turnedOn
    case turnedOff
    case recoveryCodesMade
    case recoveryCodeUsed
    case madeStaff
    case noStaff
    case signedOut
  }

  private let people: PersonStore
  private let queue: MailQueue
  private let baseURL: String
  private let fallback: Language
  private let letter: Letter<SecondFactorLetter>

  init(
    templates: TemplateSet, people: PersonStore, queue: MailQueue, baseURL: String,
    fallback: Language
  ) throws {
    self.people = people
    self.queue = queue
    self.baseURL = baseURL
    self.fallback = fallback
    letter = try Letter("second-factor", templates: templates)
  }

  /// Writes to a person, in their own language.
  func tell(_ news: News, _ person: ID<Person>, now: Instant, in writer: Writer) throws {
    guard let recipient = try people.recipient(person, language: fallback, in: writer) else {
      return
    }
    let view = SecondFactorLetter(
      news: news, name: recipient.name, link: baseURL + AccountLinks.reset, baseURL: baseURL)
    try queue.add(
      letter.written(view, in: recipient.language), to: recipient.address, now: now, in: writer)
  }
}

struct SecondFactorLetter: View {
  let news: SecondFactorMails.News
  let name: String
  let link: String
  let baseURL: String

  static let fields: [String: Field<SecondFactorLetter>] = [
    "name": .name { $0.name },
    "link": .text { $0.link },
    "base_url": .text { $0.baseURL },
    "turned_on": .flag { $0.news == .turnedOn },
    "turned_off": .flag { $0.news == .turnedOff },
    "codes_made": .flag { $0.news == .recoveryCodesMade },
    "code_used": .flag { $0.news == .recoveryCodeUsed },
    "made_staff": .flag { $0.news == .madeStaff },
    "no_staff": .flag { $0.news == .noStaff },
    "signed_out": .flag { $0.news == .signedOut },
  ]
}
