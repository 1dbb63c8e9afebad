import Core

/// Somebody who is told when a person goes quiet.
struct Contact: Sendable {
  enum State: String, Sendable, CaseIterable {
    /// The introduction is on its way.
    case pending
    case introduced
    /// They said "don't write to me".
    case refused
    /// Their mail comes back.
    case bouncing
  }

  /// How many somebody may have (docs/developer/check-in-contacts.md#contacts).
  static let most = 5

  let id: ID<Contact>
  let person: ID<Person>
  let name: String
  let email: String
  let state: State
  let weeklyAt: Instant?
  /// The partner whose account this is; nil for an address that was typed.
  let account: ID<Person>?
  /// Whether a parting left open if they stay: until that is decided they don't see the note.
  let isAsked: Bool

  /// Whether an alert would go to them.
  var counts: Bool { state == .pending || state == .introduced }

  /// Whether their address cannot be opened.
  var isSealed: Bool { email.isEmpty }

  /// How their person calls them.
  var shownName: String {
    name.isEmpty ? (isSealed || account != nil ? "?" : email) : name
  }

  /// What its person may see of the address: a partner's is their own affair.
  var shownEmail: String? { account == nil ? email : nil }
}

/// What a mail of this module is about.
enum ContactMailKind: String, Sendable, CaseIterable {
  case introduction
  case alert
  case allClear = "all-clear"
  case reached
  case weekly
  /// To the person themself.
  case reminder
  case warning
}

/// What became of a mail.
enum ContactMailState: String, Sendable, CaseIterable {
  case waiting
  case sent
  case refused
  case bounced
  case givenUp = "given-up"
  /// Called back before it went out: what it said was no longer so.
  case recalled
}

/// A mail to a contact as its person may see it.
struct ContactMail: Sendable {
  let kind: ContactMailKind
  let state: ContactMailState
  let at: Instant
}

/// That contacts were told of a silence.
struct Alert: Sendable {
  let id: ID<Alert>
  /// The day from which the missed ones were counted.
  let silence: LocalDay
  let missedDays: Int
  let claimedAt: Instant
  let reachedAt: Instant?
  let reachedBy: ID<Contact>?
}
