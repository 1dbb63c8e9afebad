import Core
import Templates
import Web

struct ContactsView: FormContent {
  let contacts: [ContactItemView]
  let removed: [RemovedContactView]
  /// Why a removed contact could not be restored; nil if that was not tried.
  let notRestored: String?
  let partner: String?
  let hasNoActiveContact: Bool
  /// Whether a contact who would be alerted has had no exercise for long.
  let suggestsExercise: Bool
  let name: String
  let email: String
  let errors: [String: String]

  private var hasRoom: Bool { contacts.count < Contact.maximumCount }

  static let fields: [String: Field<ContactsView>] = formFields(
    errors: ["name", "email"],
    [
      "action": .text { _ in CheckInLinks.contacts },
      "settings_link": .text { _ in CheckInLinks.settings },
      "contacts": .list { $0.contacts },
      "has_contacts": .flag { !$0.contacts.isEmpty },
      "removed": .list { $0.removed },
      "has_removed": .flag { !$0.removed.isEmpty },
      "not_restored": .optionalText { $0.notRestored },
      "nobody": .flag { $0.hasNoActiveContact },
      "suggests_exercise": .flag { $0.suggestsExercise },
      "can_exercise": .flag { !$0.contacts.isEmpty && !$0.hasNoActiveContact },
      "partner": .optionalText { $0.hasRoom ? $0.partner : nil },
      "has_room": .flag { $0.hasRoom },
      "name": .text { $0.name },
      "email": .text { $0.email },
    ])
}

/// One contact in the list.
struct ContactItemView: View {
  let contact: Contact
  private let isUnanswered: Bool
  let isFirst: Bool
  let isLast: Bool
  let state: String
  let mails: [ContactMailView]
  let channels: [ChannelView]
  let hasOffers: Bool
  /// The state of the latest exercise; nil if there was none.
  let exercise: String?
  /// When a mail was last taken over by the contact's mail server.
  let mailWorked: String?

  init(
    _ contact: Contact, isFirst: Bool, isLast: Bool, mails: [ContactMail],
    channels: [ContactChannel], offers: ChannelOffers, _ context: Context
  ) {
    self.contact = contact
    isUnanswered = contact.exercise(at: context.now) == .unanswered
    self.isFirst = isFirst
    self.isLast = isLast
    let when = DateFormatting(context)
    state = context.text(Self.key(contact.state))
    self.mails = mails.map { ContactMailView($0, offers: offers, when, context) }
    self.channels = channels.map { channel in
      ChannelView(
        channel, label: offers.find(channel.offer)?.label(in: context.language), error: nil, context
      )
    }
    hasOffers = !offers.isEmpty
    exercise = Self.text(of: contact.exercise(at: context.now), contact, when, context)
    let worked = mails.first { $0.offer == nil && $0.state == .sent }
    mailWorked =
      contact.receivesMail
      ? worked.map { context.text("contact_list.mail_worked", ["when": when.moment($0.at)]) } : nil
  }

  private static func text(
    of exercise: Contact.Exercise, _ contact: Contact, _ when: DateFormatting, _ context: Context
  ) -> String? {
    func text(_ key: String, _ moment: Instant?) -> String? {
      moment.map { context.text(key, ["when": when.moment($0)]) }
    }
    switch exercise {
    case .never: return nil
    case .waiting: return text("contact_list.exercise_waiting", contact.exerciseAt)
    case .answered: return text("contact_list.exercise_answered", contact.answeredAt)
    case .unanswered: return text("contact_list.exercise_unanswered", contact.exerciseAt)
    }
  }

  private static func key(_ state: Contact.State) -> String {
    switch state {
    case .pending: "contact_state.pending"
    case .introduced: "contact_state.introduced"
    case .refused: "contact_state.refused"
    case .bouncing: "contact_state.bouncing"
    }
  }

  static let fields: [String: Field<ContactItemView>] = [
    "id": .text { $0.contact.id.description },
    "name": .text { $0.contact.shownName },
    "address": .optionalText { $0.contact.name.isEmpty ? nil : $0.contact.shownEmail },
    "link": .text { CheckInLinks.edit($0.contact.id) },
    "remove_link": .text { CheckInLinks.removal($0.contact.id) },
    "state": .text { $0.state },
    "counts": .flag { $0.contact.counts },
    "bouncing": .flag { $0.contact.state == .bouncing },
    "asked": .flag { $0.contact.isAsked },
    // A single contact has no others who would see the name.
    "unnamed": .flag { $0.contact.nameForOthers.isEmpty && !($0.isFirst && $0.isLast) },
    "first": .flag { $0.isFirst },
    "last": .flag { $0.isLast },
    "mails": .list { $0.mails },
    "channels": .list { $0.channels },
    "channels_link": .optionalText {
      $0.hasOffers || !$0.channels.isEmpty ? CheckInLinks.channels($0.contact.id) : nil
    },
    "exercise": .optionalText { $0.exercise },
    "unanswered": .flag { $0.isUnanswered },
    "mail_worked": .optionalText { $0.mailWorked },
    "has_mails": .flag { !$0.mails.isEmpty },
    "weekly": .flag { $0.contact.weeklyAt != nil },
  ]
}

/// The state of one mail to a contact.
struct ContactMailView: View {
  let kind: String
  /// The service that it was sent by; nil for mail.
  let channel: String?
  let state: String
  let moment: String
  let isBad: Bool

  init(
    _ mail: ContactMail, offers: ChannelOffers, _ when: DateFormatting, _ context: Context
  ) {
    kind = context.text(Self.key(mail.kind))
    channel = mail.offer.map { offers.find($0)?.label(in: context.language) ?? $0 }
    state = context.text(Self.key(mail.state))
    moment = when.moment(mail.at)
    isBad = mail.state == .refused || mail.state == .bounced || mail.state == .givenUp
  }

  static func key(_ kind: ContactMailKind) -> String {
    switch kind {
    case .introduction: "contact_mail.introduction"
    case .alert: "contact_mail.alert"
    case .allClear: "contact_mail.all_clear"
    case .reached: "contact_mail.reached"
    case .weekly: "contact_mail.weekly"
    case .reminder: "contact_mail.reminder"
    case .warning, .timerWarning: "contact_mail.warning"
    case .code: "contact_mail.code"
    case .exercise: "contact_mail.exercise"
    }
  }

  private static func key(_ state: ContactMailState) -> String {
    switch state {
    case .waiting: "contact_mail.waiting"
    case .sent: "contact_mail.sent"
    case .refused: "contact_mail.refused"
    case .bounced: "contact_mail.bounced"
    case .givenUp: "contact_mail.given_up"
    case .recalled: "contact_mail.recalled"
    }
  }

  static let fields: [String: Field<ContactMailView>] = [
    "kind": .text { $0.kind },
    "channel": .optionalText { $0.channel },
    "state": .text { $0.state },
    "moment": .text { $0.moment },
    "bad": .flag { $0.isBad },
  ]
}

/// A contact who can be restored.
struct RemovedContactView: View {
  let contact: Contact
  let left: String

  init(_ removed: RemovedContact, _ context: Context) {
    contact = removed.contact
    left = context.timeToRestore(removed.removedAt)
  }

  static let fields: [String: Field<RemovedContactView>] = [
    "name": .text { $0.contact.shownName },
    "address": .optionalText { $0.contact.name.isEmpty ? nil : $0.contact.shownEmail },
    "left": .text { $0.left },
    "restore_action": .text { CheckInLinks.undoRemoval($0.contact.id) },
  ]
}

/// The page to edit a contact's name and address.
struct ContactEditView: FormContent {
  let contact: Contact
  let name: String
  let email: String
  let errors: [String: String]

  static let fields: [String: Field<ContactEditView>] = formFields(
    errors: ["name", "email"],
    [
      "action": .text { CheckInLinks.edit($0.contact.id) },
      "contacts_link": .text { _ in CheckInLinks.contacts },
      "name": .text { $0.name },
      "email": .text { $0.email },
      "partner": .flag { $0.contact.account != nil },
    ])
}

/// The page to confirm the removal of a contact.
struct ContactRemovalView: View {
  let contact: Contact
  let leavesNobody: Bool

  static let fields: [String: Field<ContactRemovalView>] = [
    "action": .text { CheckInLinks.removal($0.contact.id) },
    "contacts_link": .text { _ in CheckInLinks.contacts },
    "name": .text { $0.contact.shownName },
    "leaves_nobody": .flag { $0.leavesNobody },
  ]
}
