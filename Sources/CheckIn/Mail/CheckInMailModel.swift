import Core

/// The content of this module's mails about a user, as shown to the recipient.
struct CheckInMailModel: Sendable {
  /// The name of the silent user.
  let name: String
  /// The name that the user gave the contact; "" for none.
  var contactName = ""
  /// The user's time zone, in which days and hours are given.
  let zone: PersonTimeZone
  let now: Instant
  var missedDays = 0
  /// The number of missed days until an alert.
  var threshold = 2
  /// The number of hours instead; nil if days are counted.
  var thresholdHours: Int?
  /// Minutes after midnight.
  var alertMinute = 540
  var lastSeen: Instant?
  /// The user's note for the contacts.
  var note = ""
  /// Whether the contact can read the user's sheet on their page.
  var hasSheet = false
  /// When the contacts are notified unless the user taps.
  var alertAt: Instant?
  /// Whether the contact was notified of the same silence before.
  var isRepeated = false
  /// The contact who has reached the user.
  var reachedBy = ""
  /// When the user's timer ends, or ended; nil without one.
  var timerEnd: Instant?
  /// Whether an all-clear is about a timer or a call for help.
  var isTimer = false
  /// Whether the user called for help, at the end of that timer.
  var isHelp = false
  /// The last place that the user shared with a group, if an alert may contain it.
  var place: SharedPlace?
  /// For a mail from the watchman: since when the server has not answered.
  var silentSince: Instant?
  /// How many of the last seven days had a check-in.
  var daysOfWeek = 0
  /// The path of the recipient's page: the contact's page, or the one to tap on.
  var path = ""
  /// The path of the page to refuse mail.
  var stopPath = ""
}
