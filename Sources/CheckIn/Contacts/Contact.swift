import Core
import Mail

/// A contact who is notified when a user is silent.
struct Contact: Sendable {
  enum State: String, Sendable, CaseIterable {
    /// The introduction has not been delivered yet.
    case pending
    case introduced
    /// The contact asked to receive no mail.
    case refused
    /// Mail to the contact bounces.
    case bouncing
  }

  /// The maximum number of contacts (docs/developer/check-in-contacts.md#contacts).
  static let maximumCount = 5

  let id: ID<Contact>
  let person: ID<Person>
  let name: String
  let email: String
  let state: State
  let weeklyAt: Instant?
  /// The partner's account; nil for an address that was typed.
  let account: ID<Person>?
  /// Whether the couple has separated and the user has not decided yet if the contact stays. Until
  /// then the contact doesn't see the note.
  let isAsked: Bool

  /// Whether a proven channel reaches the contact.
  let hasChannel: Bool

  /// When an exercise was sent last, and answered last.
  let exerciseAt: Instant?
  let answeredAt: Instant?

  /// Whether mail is sent to the contact.
  var receivesMail: Bool { state == .pending || state == .introduced }

  /// Whether an alert would be sent to the contact.
  var counts: Bool { receivesMail || state == .bouncing && hasChannel }

  /// Whether the address cannot be decrypted.
  var isSealed: Bool { email.isEmpty }

  /// The name shown to the user.
  var shownName: String {
    name.isEmpty ? (isSealed || account != nil ? "?" : email) : name
  }

  /// Whether a name is an address, which other contacts must not see.
  static func isAddress(_ name: String) -> Bool { (try? MailAddress(name)) != nil }

  /// The address as shown to the user; nil for a partner, whose address is private.
  var shownEmail: String? { account == nil ? email : nil }
}

/// The subject of a mail of this module.
enum ContactMailKind: String, Sendable, CaseIterable {
  case introduction
  case alert
  case allClear = "all-clear"
  case reached
  case weekly
  /// A code that proves a channel.
  case code
  case exercise
  /// To the user.
  case reminder
  case warning
  case timerWarning = "timer-warning"
}

/// The delivery state of a mail.
enum ContactMailState: String, Sendable, CaseIterable {
  case waiting
  case sent
  case refused
  case bounced
  case givenUp = "given-up"
  /// Recalled before it was sent, because its content was no longer true.
  case recalled
}

/// A mail to a contact as shown to the user.
struct ContactMail: Sendable {
  let kind: ContactMailKind
  let state: ContactMailState
  let at: Instant
  /// The name of the operator's offer; nil for mail.
  let offer: String?
}

/// The notification of contacts about a silence.
struct Alert: Sendable {
  let id: ID<Alert>
  let person: ID<Person>
  /// The day from which missed days were counted.
  let silence: LocalDay
  let missedDays: Int
  let claimedAt: Instant
  /// The timer that ran out; nil for missed check-ins.
  let timer: ID<CheckInTimer>?
  let reachedAt: Instant?
  let reachedBy: ID<Contact>?
  /// The current round of notifying the contacts, the first one since the alert was claimed, and
  /// when the current one began.
  var round: Int
  let firstRound: Int
  var roundAt: Instant
  /// Until when a contact is looking for the user.
  let lookingUntil: Instant?

  /// Whether the contacts were notified before the current round.
  var isRepeated: Bool { round > firstRound }
}
