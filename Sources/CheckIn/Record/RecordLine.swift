import Core
import Secrets

/// Something decided or seen about a user who is monitored (docs/developer/check-in.md#record).
enum RecordEvent: String, CaseIterable, Sendable {
  /// A tap; `detail` is `offline` if it was made without a network.
  case tapped
  /// The daily reminder was sent to the user.
  case reminded
  /// A warning before an alert was sent to the user.
  case warned
  /// An alert was due and waits; `detail` is the reason.
  case held
  /// The contacts are notified; `detail` is the number of missed days, or the threshold as `12h`.
  case due
  /// A mail was taken over by a contact's mail server; `detail` is its kind.
  case sent
  /// A mail to a contact failed for good; `detail` is its kind.
  case failed
  /// A contact is looking for the user.
  case looking
  /// The contacts are notified again; `detail` is the number of the round.
  case repeated
  /// A contact has read the user's sheet.
  case sheet
  /// An exercise was sent to a contact.
  case exercise
  /// A contact answered an exercise.
  case answered
  /// A timer was started; `detail` is its length in minutes.
  case timerStarted = "timer"
  case timerExtended = "timer-extended"
  case timerEnded = "timer-ended"
  /// A timer has run out, and the contacts are notified.
  case timerDue = "timer-due"
  /// The user called for help, and the contacts are notified.
  case helpCalled = "help"
  /// A contact has reached the user.
  case reached
  /// An alert ended, and the contacts who were notified are told.
  case ended
  /// A pause began; `day` is its last one.
  case paused
  /// A pause ended early.
  case resumed

  /// The detail of an alert that waits because no contact can be reached.
  static let noContact = "no-contact"
}

/// One line of a user's record. Its hash contains that of the line before it: a line that is changed,
/// removed or inserted between others breaks the chain.
struct RecordLine: Sendable, Equatable {
  /// Counted from 1, without gaps.
  let number: Int
  let at: Instant
  let event: RecordEvent
  /// The local day that it is about.
  let day: LocalDay?
  let contact: ID<Contact>?
  let detail: String
  /// SHA-256 of `content`.
  let hash: [UInt8]

  /// The hashed text: the previous line's hash in hex (empty for the first), the number, the moment
  /// in ms, the event, the day, the contact and the detail, one per line
  /// (docs/developer/check-in.md#record).
  static func content(
    after previous: [UInt8], number: Int, at: Instant, event: String, day: LocalDay?,
    contact: ID<Contact>?, detail: String
  ) -> [UInt8] {
    Array(
      [
        Hex.text(previous), String(number), String(at.milliseconds), event,
        day.map(\.description) ?? "", contact.map(\.description) ?? "", detail,
      ].joined(separator: "\n").utf8)
  }

  /// Whether the hash is right for a line that follows one with the hash `previous`.
  func follows(_ previous: [UInt8]) -> Bool {
    hash
      == Digests.sha256(
        Self.content(
          after: previous, number: number, at: at, event: event.rawValue, day: day,
          contact: contact, detail: detail))
  }
}
