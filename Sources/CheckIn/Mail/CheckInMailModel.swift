import Core

/// What the mails of this module say of a person, as their reader sees it.
struct CheckInMailModel: Sendable {
  /// Whose silence it is about.
  let name: String
  /// To whom it goes: the name that the person gave their contact, "" for none.
  var contactName = ""
  /// The zone of the person, in which their days and hours are meant.
  let zone: PersonTimeZone
  let now: Instant
  var missedDays = 0
  /// How many missed days it takes.
  var threshold = 2
  /// Minutes after midnight.
  var alertMinute = 540
  var lastSeen: Instant?
  /// The person's note for their contacts.
  var note = ""
  /// When contacts are written to unless the person taps.
  var alertAt: Instant?
  /// Who has reached the person.
  var reachedBy = ""
  /// How many of the last seven days had a check-in.
  var daysOfWeek = 0
  /// The path of the page for who reads it: the contact's, or the one to tap on.
  var path = ""
  /// The path of "don't write to me".
  var stopPath = ""
}
