import Accounts
import Core
import Mail
import Templates
import Web

/// The mails of this module (docs/developer/check-in-contacts.md#alert-mail, "Contacts" and
/// "Rules").
struct CheckInMailer: Sendable {
  private let catalogues: Catalogues
  private let baseURL: String
  private let contactIntroduction: MailTemplate<CheckInMail>
  private let contactAlert: MailTemplate<CheckInMail>
  private let contactAllClear: MailTemplate<CheckInMail>
  private let contactReached: MailTemplate<CheckInMail>
  private let contactWeekly: MailTemplate<CheckInMail>
  private let ownReminder: MailTemplate<CheckInMail>
  private let ownWarning: MailTemplate<CheckInMail>
  private let ownAfterOutage: MailTemplate<CheckInMail>

  /// Throws `TemplateError`.
  init(templates: TemplateSet, catalogues: Catalogues, baseURL: String) throws {
    self.catalogues = catalogues
    self.baseURL = baseURL
    func mail(_ name: String) throws -> MailTemplate<CheckInMail> {
      try MailTemplate(name, templates: templates)
    }
    contactIntroduction = try mail("contact-introduction")
    contactAlert = try mail("contact-alert")
    contactAllClear = try mail("contact-all-clear")
    contactReached = try mail("contact-reached")
    contactWeekly = try mail("contact-weekly")
    ownReminder = try mail("checkin-reminder")
    ownWarning = try mail("checkin-warning")
    ownAfterOutage = try mail("checkin-after-outage")
  }

  // MARK: To contacts

  /// Who named them, why, and when mail would come.
  func introduction(_ facts: CheckInMailModel, in language: Language) -> MailContent {
    toContact(contactIntroduction, facts, language)
  }

  /// That somebody has gone quiet.
  func alert(_ facts: CheckInMailModel, in language: Language) -> MailContent {
    toContact(contactAlert, facts, language)
  }

  /// That who had gone quiet has checked in again.
  func allClear(_ facts: CheckInMailModel, in language: Language) -> MailContent {
    toContact(contactAllClear, facts, language)
  }

  /// That another contact has reached who had gone quiet.
  func reached(_ facts: CheckInMailModel, in language: Language) -> MailContent {
    toContact(contactReached, facts, language)
  }

  /// The line a week for those who ask for it.
  func weekly(_ facts: CheckInMailModel, in language: Language) -> MailContent {
    toContact(contactWeekly, facts, language)
  }

  // MARK: To the person

  /// The daily word at the hour that they chose.
  func reminder(_ facts: CheckInMailModel, in language: Language) -> MailContent {
    ownReminder.written(mail(facts, language), in: language)
  }

  /// That contacts are about to be told: in the evening before, or with `isLast` an hour before.
  func warning(_ facts: CheckInMailModel, in language: Language, isLast: Bool) -> MailContent {
    ownWarning.written(mail(facts, language, isLast: isLast), in: language)
  }

  /// That nobody could tap for a while because of us, and what comes unless they tap now.
  func afterOutage(_ facts: CheckInMailModel, in language: Language) -> MailContent {
    ownAfterOutage.written(mail(facts, language), in: language)
  }

  // MARK: Writing

  /// Mail programs show a button of their own for these headers (RFC 8058).
  private func toContact(
    _ mail: MailTemplate<CheckInMail>, _ facts: CheckInMailModel, _ language: Language
  ) -> MailContent {
    mail.written(
      self.mail(facts, language), in: language,
      headers: [
        MailMessage.Header("List-Unsubscribe", "<\(baseURL)\(facts.stopPath)>"),
        MailMessage.Header("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"),
      ])
  }

  private func mail(
    _ facts: CheckInMailModel, _ language: Language, isLast: Bool = false
  ) -> CheckInMail {
    let when = DateFormatting(
      now: facts.now, zone: facts.zone.zone, language: language, catalogues: catalogues)
    // Nobody's address goes to anybody else, not even as the name that they were given.
    let isAddress = (try? MailAddress(facts.reachedBy)) != nil
    let reachedBy = isAddress ? "" : facts.reachedBy
    return CheckInMail(
      facts: facts, baseURL: baseURL,
      name: named(facts.name, "checkin_mail.somebody", language),
      reachedBy: named(reachedBy, "checkin_mail.somebody_else", language),
      alertTime: QuarterHour.text(facts.alertMinute),
      zone: TimeZoneNames.time(of: facts.zone, in: language, catalogues),
      lastSeen: facts.lastSeen.map(when.moment) ?? "",
      lastDay: facts.lastSeen.map { when.day(LocalDay($0, in: facts.zone.zone)) } ?? "",
      alertAt: facts.alertAt.map(when.moment) ?? "", isLast: isLast)
  }

  /// A name, or for one in which nothing can be seen the words of this text.
  private func named(_ name: String, _ key: String, _ language: Language) -> String {
    NameInMail.plain(name).isEmpty ? catalogues.text(key, in: language) : name
  }
}

/// What stands in the mails of this module.
struct CheckInMail: View {
  let facts: CheckInMailModel
  let baseURL: String
  let name: String
  let reachedBy: String
  /// "09:00".
  let alertTime: String
  /// The time by which all of it is meant: "Taipei time".
  let zone: String
  /// A moment as its reader sees it, "" for none; the same of the two below.
  let lastSeen: String
  let lastDay: String
  let alertAt: String
  let isLast: Bool

  /// The note for the contacts line by line.
  private var noteLines: [String] {
    let note = CheckInSettings.longestNote.beginning(of: facts.note.asParagraphs)
    return note.isEmpty
      ? []
      : note.split(separator: "\n", omittingEmptySubsequences: false)
        .map(String.init)
  }

  /// Whether a week can be called a good one.
  private var isWell: Bool { facts.daysOfWeek > 0 && facts.missedDays < facts.threshold }

  static let fields: [String: Field<CheckInMail>] = [
    "link": .text { $0.baseURL + $0.facts.path },
    "stop": .text { $0.baseURL + $0.facts.stopPath },
    "settings": .text { $0.baseURL + CheckInLinks.settings },
    "base_url": .text { $0.baseURL },
    // The person's name in a subject, and in a body.
    "name": .text { NameInMail.plain($0.name) },
    "person": .name { $0.name },
    "contact": .name { $0.facts.contactName },
    "reacher": .text { NameInMail.plain($0.reachedBy) },
    "reached_by": .name { $0.reachedBy },
    "missed": .integer { $0.facts.missedDays },
    "threshold": .integer { $0.facts.threshold },
    "days": .integer { $0.facts.daysOfWeek },
    "alert_time": .text { $0.alertTime },
    "zone": .text { $0.zone },
    "last_seen": .text { $0.lastSeen },
    "last_day": .text { $0.lastDay },
    "alert_at": .text { $0.alertAt },
    "has_note": .flag { !$0.noteLines.isEmpty },
    "note_lines": .list { $0.noteLines },
    "is_last": .flag { $0.isLast },
    "is_well": .flag { $0.isWell },
  ]
}
