import Core

/// A time by which a user wants to be back; otherwise the contacts are notified
/// (docs/developer/check-in.md#timers). Uses no clock and no database.
struct CheckInTimer: Sendable, Equatable {
  /// The lengths to choose from, in minutes.
  static let lengths = [15, 30, 45, 60, 90, 120, 180, 240, 360, 480, 720, 1440, 2880, 4320]
  /// How long after the end the contacts are notified, to choose from, in minutes.
  static let graces = [5, 15, 30, 60, 120]
  /// The length of an extension, in s.
  static let extensionTime: Int64 = .minutes(30)
  static let noteLimits = FieldLimits(characters: 300)

  let id: ID<CheckInTimer>
  let person: ID<Person>
  let note: String
  let startedAt: Instant
  var endsAt: Instant
  /// In s.
  let grace: Int64
  /// Whether an alert contains the last place that the user shared with a group.
  var sharesPlace = false
  /// Whether it is a call for help: it ends when it starts, and the contacts are notified at once.
  var isHelp = false
  /// Whether the user was warned before the end, and at the end.
  var isWarned = false
  var isWarnedAtEnd = false
  var alertedAt: Instant?

  /// When the contacts are notified.
  var alertAt: Instant { endsAt.adding(seconds: grace) }

  /// When four fifths of the time are over.
  var warningAt: Instant { startedAt.adding(seconds: endsAt.seconds(since: startedAt) * 4 / 5) }

  enum Step: Sendable, Equatable {
    case warn
    case warnAtEnd
    case alert
  }

  /// The step that is due at `now`, and when to look next. `heldUntil` is the end of the grace
  /// period after an outage, in which the user could not end the timer.
  func plan(at now: Instant, heldUntil: Instant? = nil) -> (step: Step?, next: Instant?) {
    guard alertedAt == nil else { return (nil, nil) }
    let alertAt = max(alertAt, heldUntil ?? alertAt)
    if alertAt <= now { return (.alert, nil) }
    if endsAt <= now {
      return isWarnedAtEnd ? (nil, alertAt) : (.warnAtEnd, alertAt)
    }
    if warningAt <= now { return isWarned ? (nil, endsAt) : (.warn, endsAt) }
    return (nil, warningAt)
  }
}
