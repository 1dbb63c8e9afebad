import Accounts
import Core
import Foundation
import Templates
import Web

/// The content of `/checkin`.
struct CheckInView: FormContent {
  let state: CheckInModel.State
  let greeting: String
  let date: String
  let day: String
  /// An IANA name, for scripts.
  let zone: String
  /// The name of the time in which days are counted.
  let zoneName: String
  let isZoneUnknown: Bool
  let label: String
  let missingSetup: String?
  let doneAt: String?
  let canRepeat: Bool
  let lastTime: String?
  let nextTime: String?
  let streaks: Streaks
  let days: [WeekDayView]
  let name: String
  let contacts: String
  let enteredName: String
  let enteredEmail: String
  let errors: [String: String]
  let problem: String?
  let rule: String
  let received: [ReceivedAlertView]
  let alerts: [SentenceView]
  let allClear: String?
  let reached: String?
  let progress: [ContactProgressView]
  let missed: String?
  let paused: String?
  let badContacts: [SentenceView]
  let unconfirmedContacts: [SentenceView]
  let doubtfulChannels: [SentenceView]
  let timer: RunningTimerView?
  let reminder: ReminderOfferView?
  let pauses: [ChoiceView]
  /// The last day that a pause may have.
  let lastDay: String
  let hasNoActiveContact: Bool
  /// Whether the first contact is a partner, whose address is not shown.
  let hidesEmail: Bool
  let partner: String?
  let zones: [TimeZoneGroupView]
  let role: Role
  let justTapped: Bool

  /// Whether these are the user's first days.
  private var isNew: Bool { streaks.longest <= 3 }

  init(
    formatter: CheckInFormatter, entered: FormFields, errors: [String: String],
    problem: String?
  ) {
    let (context, model) = (formatter.context, formatter.model)
    state = model.state
    greeting = formatter.greeting
    date = formatter.date
    day = model.today.description
    zone = context.personTimeZone.name
    zoneName = context.timeZoneName
    isZoneUnknown = context.isTimeZoneUnknown
    label = formatter.label
    missingSetup = formatter.missingSetup
    doneAt = formatter.doneAt
    canRepeat = model.canRepeat
    lastTime = formatter.lastTime
    nextTime = formatter.nextTime
    streaks = model.streaks
    days = formatter.days
    name = formatter.name
    contacts = formatter.contacts
    enteredName = entered.has("display_name") ? entered["display_name"] : formatter.name
    enteredEmail =
      entered.has("contact_email")
      ? entered["contact_email"] : model.contacts.first?.shownEmail ?? ""
    self.errors = errors
    self.problem = problem
    rule = formatter.rule
    received = model.received
    alerts = formatter.alerts
    allClear = formatter.allClearText
    reached = formatter.reachedText
    progress = formatter.progress
    missed = formatter.missedText
    paused = formatter.pauseText
    badContacts = formatter.undecryptableContacts
    unconfirmedContacts = formatter.unconfirmedContacts
    doubtfulChannels = formatter.doubtfulChannels
    timer = model.timer.map {
      RunningTimerView($0, next: CheckInLinks.page, formatter.when, context)
    }
    reminder =
      model.offersReminder ? ReminderOfferView(reaches: model.monitor.canBeReminded) : nil
    pauses = CheckInSettings.shortPauses.map {
      ChoiceView(
        value: String($0), name: context.text("checkin.pause_days", count: $0), isChosen: false)
    }
    lastDay = model.today.adding(days: CheckInSettings.maximumPauseDays).description
    hidesEmail = model.contacts.first?.account != nil
    hasNoActiveContact = model.hasNoActiveContact
    partner = model.partner?.name
    // Only a viewer without an account chooses here; members use the list in the settings.
    zones =
      context.viewer == nil
      ? TimeZoneChoices.groups(chosen: entered["chosen_time_zone"], context) : []
    role = context.viewer?.role ?? .anyone
    justTapped = context.viewer == nil && CheckInPage.justTapped.isSet(context)
  }

  static let fields: [String: Field<CheckInView>] =
    formFields(
      errors: ["date", "tapped_at", "display_name", "contact_email"],
      [
        "greeting": .text { $0.greeting },
        "date": .text { $0.date },
        "state": .text { $0.state.rawValue },
        "day": .text { $0.day },
        "zone": .text { $0.zone },
        "missing": .flag { $0.state == .missing },
        "done": .flag { $0.state == .done },
        "label": .text { $0.label },
        "missing_words": .optionalText { $0.missingSetup },
        "done_at": .optionalText { $0.doneAt },
        "closed": .flag { $0.state == .done && !$0.canRepeat },
        "repeats": .flag { $0.canRepeat },
        "last_time": .optionalText { $0.lastTime },
        "next_time": .optionalText { $0.nextTime },
        "streak": .integer { $0.streaks.current },
        "longest": .integer { $0.streaks.longest },
        "days": .list { $0.days },
        "name": .text { $0.name },
        "contacts": .text { $0.contacts },
        "display_name": .text { $0.enteredName },
        "contact_email": .text { $0.enteredEmail },
        "details_open": .flag {
          $0.errors["display_name"] != nil || $0.errors["contact_email"] != nil
        },
        "problem": .optionalText { $0.problem },
        "rule": .text { $0.rule },
        "received": .list { $0.received },
        "alert": .flag { !$0.alerts.isEmpty },
        "alerts": .list { $0.alerts },
        "all_clear": .optionalText { $0.allClear },
        "reached": .optionalText { $0.reached },
        "progress": .list { $0.progress },
        "missed": .optionalText { $0.missed },
        "paused": .optionalText { $0.paused },
        "bad_contacts": .list { $0.badContacts },
        "timer": .optional { $0.timer },
        "reminder": .optional { $0.reminder },
        "pauses": .list { $0.pauses },
        "last_day": .text { $0.lastDay },
        "first": .flag { $0.streaks.longest == 0 },
        "timer_link": .text { _ in CheckInLinks.timerPage },
        "help_link": .text { _ in CheckInLinks.help },
        "channels": .list { $0.doubtfulChannels },
        "asked_contacts": .list { $0.unconfirmedContacts },
        "hides_email": .flag { $0.hidesEmail },
        "nobody": .flag { $0.hasNoActiveContact },
        "partner": .optionalText { $0.partner },
        "zone_words": .text { $0.zoneName },
        "untold": .flag { $0.isZoneUnknown },
        "zone_link": .text {
          $0.role == .anyone ? "#chosen_time_zone" : AccountLinks.languageSettings
        },
        "zones": .list { $0.zones },
        "signed_out": .flag { $0.role == .anyone },
        "new_guest": .flag { $0.role == .guest && $0.isNew },
        "guest": .flag { $0.role == .guest && !$0.isNew },
        "just_tapped": .flag { $0.justTapped },
        "action": .text { _ in CheckInLinks.page },
        "settings_link": .text { _ in CheckInLinks.settings },
        "contacts_link": .text { _ in CheckInLinks.contacts },
        "history_link": .text { _ in CheckInLinks.history },
        "recover_link": .text { _ in AccountLinks.recover },
        "member_link": .text { _ in AccountLinks.becomeMember },
        "recovery_code_link": .text { _ in AccountLinks.recoveryCode },
        "sign_in_link": .text { _ in "\(AccountLinks.signIn)?next=\(CheckInLinks.page)" },
      ])
}

/// The offer of a daily reminder.
struct ReminderOfferView: View {
  /// The time that is offered first, in minutes after midnight.
  static let usual = 20 * 60

  /// Whether reminders reach the user.
  let reaches: Bool

  static let fields: [String: Field<ReminderOfferView>] = [
    "reaches": .flag { $0.reaches },
    "time": .text { _ in QuarterHour.text(usual) },
    "notices_link": .text { _ in CheckInLinks.notifications },
  ]
}

/// One sentence in a list.
struct SentenceView: View {
  let text: String

  static let fields: [String: Field<SentenceView>] = ["words": .text { $0.text }]
}

/// One of the last seven days.
struct WeekDayView: View {
  let name: String
  let isDone: Bool
  /// Before the first check-in: none was expected.
  let isBefore: Bool
  let isToday: Bool

  static let fields: [String: Field<WeekDayView>] = [
    "name": .text { $0.name },
    "is_done": .flag { $0.isDone },
    "is_missed": .flag { !$0.isDone && !$0.isBefore && !$0.isToday },
    "is_today": .flag { $0.isToday },
  ]
}
