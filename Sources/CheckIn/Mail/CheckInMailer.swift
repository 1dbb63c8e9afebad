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
  private let contactTimer: MailTemplate<CheckInMail>
  private let ownTimer: MailTemplate<CheckInMail>
  private let contactExercise: MailTemplate<CheckInMail>
  private let ownReminder: MailTemplate<CheckInMail>
  private let ownWarning: MailTemplate<CheckInMail>
  private let ownAfterOutage: MailTemplate<CheckInMail>
  private let serverSilent: MailTemplate<WatchmanMail>

  /// Throws `TemplateError`.
  init(templates: TemplateSet, catalogues: Catalogues, baseURL: String) throws {
    self.catalogues = catalogues
    self.baseURL = baseURL
    func mail(_ name: String) throws -> MailTemplate<CheckInMail> {
      try MailTemplate(name, templates: templates)
    }
    contactIntroduction = try mail("checkin/contact-introduction")
    contactAlert = try mail("checkin/contact-alert")
    contactAllClear = try mail("checkin/contact-all-clear")
    contactReached = try mail("checkin/contact-reached")
    contactWeekly = try mail("checkin/contact-weekly")
    contactTimer = try mail("timers/contact-timer")
    ownTimer = try mail("timers/timer-warning")
    contactExercise = try mail("exercises/contact-exercise")
    ownReminder = try mail("checkin/checkin-reminder")
    ownWarning = try mail("checkin/checkin-warning")
    ownAfterOutage = try mail("checkin/checkin-after-outage")
    serverSilent = try MailTemplate("watchman/server-silent", templates: templates)
  }

  // MARK: To contacts

  /// Explains which user named the contact, why, and when mail would come.
  func introduction(_ model: CheckInMailModel, in language: Language) -> MailContent {
    toContact(contactIntroduction, model, language)
  }

  /// Reports that the user is silent, or has not come back by the end of a timer.
  func alert(_ model: CheckInMailModel, in language: Language) -> MailContent {
    toContact(model.timerEnd == nil ? contactAlert : contactTimer, model, language)
  }

  /// Reports that the user has checked in again.
  func allClear(_ model: CheckInMailModel, in language: Language) -> MailContent {
    toContact(contactAllClear, model, language)
  }

  /// Reports that another contact has reached the user.
  func reached(_ model: CheckInMailModel, in language: Language) -> MailContent {
    toContact(contactReached, model, language)
  }

  /// The weekly mail for contacts who ask for it.
  func weekly(_ model: CheckInMailModel, in language: Language) -> MailContent {
    toContact(contactWeekly, model, language)
  }

  /// Asks a contact to answer an exercise.
  func exercise(_ model: CheckInMailModel, in language: Language) -> MailContent {
    toContact(contactExercise, model, language)
  }

  // MARK: To the user

  /// The daily reminder at the hour chosen by the user.
  func reminder(_ model: CheckInMailModel, in language: Language) -> MailContent {
    ownReminder.written(mail(model, language), in: language)
  }

  /// Warns that the contacts are about to be notified: in the evening before, or with `isLast` an
  /// hour before.
  func warning(_ model: CheckInMailModel, in language: Language, isLast: Bool) -> MailContent {
    ownWarning.written(mail(model, language, isLast: isLast), in: language)
  }

  /// Warns that a timer ends soon, or with `isLast` that it has ended.
  func timer(_ model: CheckInMailModel, in language: Language, isLast: Bool) -> MailContent {
    ownTimer.written(mail(model, language, isLast: isLast), in: language)
  }

  /// Reports that taps were not possible because of an outage, and what follows unless the user
  /// taps now.
  func afterOutage(_ model: CheckInMailModel, in language: Language) -> MailContent {
    ownAfterOutage.written(mail(model, language), in: language)
  }

  // MARK: To the operator

  /// Reports that the server does not answer its watchman, or answers again.
  func silence(_ mail: WatchmanMail, in language: Language) -> MailContent {
    serverSilent.written(mail, in: language)
  }

  // MARK: Writing

  /// Mail programs show their own unsubscribe button for these headers (RFC 8058).
  private func toContact(
    _ mail: MailTemplate<CheckInMail>, _ model: CheckInMailModel, _ language: Language
  ) -> MailContent {
    mail.written(
      self.mail(model, language), in: language,
      headers: [
        MailMessage.Header("List-Unsubscribe", "<\(baseURL)\(model.stopPath)>"),
        MailMessage.Header("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"),
      ])
  }

  private func mail(
    _ model: CheckInMailModel, _ language: Language, isLast: Bool = false
  ) -> CheckInMail {
    let when = DateFormatting(
      now: model.now, zone: model.zone.zone, language: language, catalogues: catalogues)
    // An address is never sent to other contacts, not even if it was entered as the name.
    let isAddress = (try? MailAddress(model.reachedBy)) != nil
    let reachedBy = isAddress ? "" : model.reachedBy
    return CheckInMail(
      model: model, baseURL: baseURL,
      name: named(model.name, "checkin_mail.someone", language),
      reachedBy: named(reachedBy, "checkin_mail.another_contact", language),
      alertTime: QuarterHour.text(model.alertMinute),
      zone: TimeZoneNames.time(of: model.zone, in: language, catalogues),
      lastSeen: model.lastSeen.map(when.moment) ?? "",
      lastDay: model.lastSeen.map { when.day(LocalDay($0, in: model.zone.zone)) } ?? "",
      alertAt: model.alertAt.map(when.moment) ?? "",
      timerEnd: model.timerEnd.map(when.moment) ?? "",
      placeAt: model.place.map { when.moment($0.at) } ?? "",
      silentSince: model.silentSince.map(when.moment) ?? "", isLast: isLast)
  }

  /// The name, or the text of `key` if the name has no visible characters.
  private func named(_ name: String, _ key: String, _ language: Language) -> String {
    NameInMail.plain(name).isEmpty ? catalogues.text(key, in: language) : name
  }
}

/// The values of this module's mail templates.
struct CheckInMail: View {
  let model: CheckInMailModel
  let baseURL: String
  let name: String
  let reachedBy: String
  /// "09:00".
  let alertTime: String
  /// The name of the time in which everything is given: "Taipei time".
  let zone: String
  /// A moment as shown to the recipient, "" for none; the two below likewise.
  let lastSeen: String
  let lastDay: String
  let alertAt: String
  let timerEnd: String
  let placeAt: String
  let silentSince: String
  let isLast: Bool

  /// The note for the contacts, by line.
  private var noteLines: [String] {
    // That of a timer comes first.
    let timer = model.timerEnd == nil ? 0 : CheckInTimer.noteLimits.characters + 1
    let limits = FieldLimits(characters: CheckInSettings.noteLimits.characters + timer)
    let note = limits.beginning(of: model.note.asParagraphs)
    return note.isEmpty
      ? []
      : note.split(separator: "\n", omittingEmptySubsequences: false)
        .map(String.init)
  }

  /// Whether the week can be called a good one.
  private var isGoodWeek: Bool { model.daysOfWeek > 0 && model.missedDays < model.threshold }

  static let fields: [String: Field<CheckInMail>] = [
    "link": .text { $0.baseURL + $0.model.path },
    "stop": .text { $0.baseURL + $0.model.stopPath },
    "settings": .text { $0.baseURL + CheckInLinks.settings },
    "base_url": .text { $0.baseURL },
    // The user's name in a subject, and in a body.
    "name": .text { NameInMail.plain($0.name) },
    "person": .name { $0.name },
    "contact": .name { $0.model.contactName },
    "reacher": .text { NameInMail.plain($0.reachedBy) },
    "reached_by": .name { $0.reachedBy },
    "missed": .integer { $0.model.missedDays },
    "threshold": .integer { $0.model.threshold },
    "threshold_hours": .optionalText { $0.model.thresholdHours.map(String.init) },
    "days": .integer { $0.model.daysOfWeek },
    "alert_time": .text { $0.alertTime },
    "zone": .text { $0.zone },
    "last_seen": .text { $0.lastSeen },
    "last_day": .text { $0.lastDay },
    "alert_at": .text { $0.alertAt },
    "timer_end": .text { $0.timerEnd },
    "is_help": .flag { $0.model.isHelp },
    "is_timer": .flag { $0.model.isTimer },
    "place_at": .text { $0.placeAt },
    "place_link": .text { $0.model.place?.link ?? "" },
    "silent_since": .text { $0.silentSince },
    "has_note": .flag { !$0.noteLines.isEmpty },
    "note_lines": .list { $0.noteLines },
    "has_sheet": .flag { $0.model.hasSheet },
    "is_repeated": .flag { $0.model.isRepeated },
    "is_last": .flag { $0.isLast },
    "is_well": .flag { $0.isGoodWeek },
  ]
}
