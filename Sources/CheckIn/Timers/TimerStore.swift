import Core
import Database
import Secrets

/// Stores the running timer of each user.
struct TimerStore {
  static let note = EncryptedColumn<Person>(
    table: "checkin_timers", owner: "user_id", column: "note_sealed", name: "timer")

  private static let columns: Query =
    """
    id, user_id, note_sealed, started_at, ends_at, grace, warned_at IS NOT NULL,
    end_warned_at IS NOT NULL, alerted_at, shares_place, is_help
    """

  let keys: KeyRing

  func find(of person: ID<Person>, in reader: ReadTransaction) throws -> CheckInTimer? {
    try reader.first(
      "SELECT \(Self.columns) FROM checkin_timers WHERE user_id = \(person)", make: timer)
  }

  /// Stores a timer in place of the one before.
  func set(_ timer: CheckInTimer, in writer: WriteTransaction) throws {
    let note =
      timer.note.isEmpty ? nil : try Self.note.seal(timer.note, of: timer.person, with: keys)
    try remove(of: timer.person, in: writer)
    try writer.execute(
      """
      INSERT INTO checkin_timers (user_id, id, note_sealed, started_at, ends_at, grace, next_at,
        shares_place, is_help)
      VALUES (\(timer.person), \(timer.id), \(note), \(timer.startedAt), \(timer.endsAt),
        \(timer.grace), \(timer.warningAt), \(timer.sharesPlace), \(timer.isHelp))
      """)
  }

  /// Moves the end; the warnings are sent again.
  func extend(_ timer: CheckInTimer, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      UPDATE checkin_timers SET ends_at = \(timer.endsAt), warned_at = NULL, end_warned_at = NULL,
        next_at = \(timer.warningAt)
      WHERE user_id = \(timer.person)
      """)
  }

  func remove(of person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM checkin_timers WHERE user_id = \(person)")
  }

  // MARK: Steps

  /// The users whose timer has a step that may be due, longest due first.
  func due(now: Instant, limit: Int, in reader: ReadTransaction) throws -> [ID<Person>] {
    try reader.values(
      "SELECT user_id FROM checkin_timers WHERE next_at <= \(now) ORDER BY next_at LIMIT \(limit)")
  }

  /// Makes all steps due now that are scheduled for later.
  func makeDue(to now: Instant, in writer: WriteTransaction) throws {
    try writer.execute("UPDATE checkin_timers SET next_at = \(now) WHERE next_at > \(now)")
  }

  /// Makes the timers due again whose alert was recalled when a backup was restored.
  static func restart(now: Instant, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      UPDATE checkin_timers SET alerted_at = NULL, next_at = \(now)
      WHERE alerted_at IS NOT NULL
        AND id IN (SELECT timer_id FROM alerts WHERE ended_at IS NOT NULL)
      """)
  }

  func scheduleNext(at next: Instant?, of person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute("UPDATE checkin_timers SET next_at = \(next) WHERE user_id = \(person)")
  }

  func took(
    _ step: CheckInTimer.Step, of person: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws {
    switch step {
    case .warn:
      try writer.execute("UPDATE checkin_timers SET warned_at = \(now) WHERE user_id = \(person)")
    case .warnAtEnd:
      try writer.execute(
        "UPDATE checkin_timers SET end_warned_at = \(now) WHERE user_id = \(person)")
    case .alert:
      try writer.execute("UPDATE checkin_timers SET alerted_at = \(now) WHERE user_id = \(person)")
    }
  }

  /// Moves a guest's timer to a member; of two, the one of which the contacts were notified is kept,
  /// or else the one that ends first.
  func move(from: ID<Person>, to other: ID<Person>, in writer: WriteTransaction) throws {
    guard let theirs = try find(of: from, in: writer) else { return }
    let own = try find(of: other, in: writer)
    try remove(of: from, in: writer)
    if let own, own.alertedAt != nil || theirs.alertedAt == nil,
      own.alertedAt != nil || own.endsAt <= theirs.endsAt
    {
      return
    }
    var timer = CheckInTimer(
      id: theirs.id, person: other, note: theirs.note, startedAt: theirs.startedAt,
      endsAt: theirs.endsAt, grace: theirs.grace, sharesPlace: theirs.sharesPlace,
      isHelp: theirs.isHelp)
    timer.alertedAt = theirs.alertedAt
    try set(timer, in: writer)
    if let at = timer.alertedAt { try took(.alert, of: other, now: at, in: writer) }
  }

  private func timer(_ row: inout RowReader) throws -> CheckInTimer {
    let (id, person) = (try row.next(ID<CheckInTimer>.self), try row.next(ID<Person>.self))
    let sealed = try row.next([UInt8]?.self)
    // A note that cannot be decrypted must not prevent an alert.
    let note = sealed.flatMap { try? Self.note.open($0, of: person, with: keys) } ?? ""
    var timer = CheckInTimer(
      id: id, person: person, note: note, startedAt: try row.next(), endsAt: try row.next(),
      grace: try row.next(), isWarned: try row.next(), isWarnedAtEnd: try row.next(),
      alertedAt: try row.next())
    timer.sharesPlace = try row.next()
    timer.isHelp = try row.next()
    return timer
  }
}
