import Core
import Database
import Foundation
import Secrets

/// Stores the user's settings and the progress of the monitoring.
struct MonitorStore {
  static let note = EncryptedColumn<Person>(
    table: "checkin_settings", owner: "user_id", column: "note_sealed", name: "note")

  static let sheet = EncryptedColumn<Person>(
    table: "checkin_settings", owner: "user_id", column: "sheet_sealed", name: "sheet")

  let keys: KeyRing

  // MARK: Settings

  /// Creates the user's row if there is none.
  func begin(_ person: ID<Person>, language: Language, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      INSERT INTO checkin_settings (user_id, contact_language)
      VALUES (\(person), \(language.rawValue))
      ON CONFLICT (user_id) DO NOTHING
      """)
  }

  /// Nil if the user has never saved anything here.
  func settings(of person: ID<Person>, in reader: ReadTransaction) throws -> CheckInSettings? {
    try reader.first(
      """
      SELECT threshold_days, threshold_hours, alert_minute, reminder_minute, contact_language,
             contact_pause, note_sealed, sheet_sealed, paused_until
      FROM checkin_settings WHERE user_id = \(person)
      """
    ) { row in
      CheckInSettings(
        threshold: try row.next(), thresholdHours: try row.next(), alertMinute: try row.next(),
        reminderMinute: try row.next(),
        contactLanguage: Language(rawValue: try row.next()) ?? .english,
        contactPause: try row.next(),
        // A note that cannot be decrypted must not prevent an alert.
        note: try row.next([UInt8]?.self).flatMap {
          try? Self.note.open($0, of: person, with: keys)
        } ?? "",
        sheet: try row.next([UInt8]?.self).flatMap {
          try? Self.sheet.open($0, of: person, with: keys)
        } ?? "", pausedUntil: try row.next())
    }
  }

  /// Stores the settings except the pause, which has methods of its own.
  func save(_ settings: CheckInSettings, of person: ID<Person>, in writer: WriteTransaction) throws
  {
    let note =
      settings.note.isEmpty
      ? nil : try Self.note.seal(settings.note, of: person, with: keys)
    let sheet =
      settings.sheet.isEmpty
      ? nil : try Self.sheet.seal(settings.sheet, of: person, with: keys)
    try writer.execute(
      """
      UPDATE checkin_settings
      SET threshold_days = \(settings.threshold), threshold_hours = \(settings.thresholdHours),
        alert_minute = \(settings.alertMinute),
        reminder_minute = \(settings.reminderMinute),
        contact_language = \(settings.contactLanguage.rawValue),
        contact_pause = \(settings.contactPause), note_sealed = \(note),
        sheet_sealed = \(sheet)
      WHERE user_id = \(person)
      """)
  }

  // MARK: Pauses

  /// Begins a pause today, or changes the end of the current one.
  func pause(
    _ person: ID<Person>, from today: LocalDay, until last: LocalDay, in writer: WriteTransaction
  ) throws {
    let running = try writer.value(
      """
      SELECT first_day FROM checkin_pauses
      WHERE user_id = \(person) AND first_day <= \(today) AND last_day >= \(today)
      ORDER BY first_day DESC LIMIT 1
      """, as: LocalDay.self)
    try writer.execute(
      """
      INSERT INTO checkin_pauses (user_id, first_day, last_day)
      VALUES (\(person), \(running ?? today), \(last))
      ON CONFLICT (user_id, first_day) DO UPDATE SET last_day = excluded.last_day
      """)
    try writer.execute(
      "UPDATE checkin_settings SET paused_until = \(last) WHERE user_id = \(person)")
  }

  /// Ends a pause with the day before `day`; the days before stay paused.
  func endPause(_ person: ID<Person>, before day: LocalDay, in writer: WriteTransaction) throws {
    let yesterday = day.adding(days: -1)
    try writer.execute(
      "DELETE FROM checkin_pauses WHERE user_id = \(person) AND first_day >= \(day)")
    let cut = try writer.execute(
      """
      UPDATE checkin_pauses SET last_day = \(yesterday)
      WHERE user_id = \(person) AND first_day < \(day) AND last_day >= \(day)
      """)
    try writer.execute(
      """
      UPDATE checkin_settings SET paused_until = \(cut > 0 ? yesterday : nil)
      WHERE user_id = \(person) AND paused_until >= \(day)
      """)
  }

  /// Pauses that overlap a range of days, both ends included.
  func pauses(
    of person: ID<Person>, from first: LocalDay, to last: LocalDay, in reader: ReadTransaction
  ) throws -> [ClosedRange<LocalDay>] {
    try reader.rows(
      """
      SELECT first_day, last_day FROM checkin_pauses
      WHERE user_id = \(person) AND first_day <= \(last) AND last_day >= \(first)
      ORDER BY first_day
      """
    ) { row in
      let first = try row.next(LocalDay.self)
      return first...max(first, try row.next())
    }
  }

  // MARK: Monitoring

  /// The state that the rules need; nil if the user has never saved anything here.
  func monitor(
    over person: ID<Person>, zone: TimeZone, canBeReminded: Bool, in reader: ReadTransaction
  ) throws -> CheckInMonitor? {
    try reader.first(
      """
      SELECT s.threshold_days, s.threshold_hours, s.alert_minute, s.reminder_minute, s.last_day, s.last_tap,
             s.paused_until, s.counts_from, s.reminded_day, s.evening_for, s.hour_for, s.grace_for,
             s.ahead_from,
             EXISTS (SELECT 1 FROM emergency_contacts c WHERE c.user_id = s.user_id
               AND c.removed_at IS NULL AND (c.state IN ('pending', 'introduced')
                 OR c.state = 'bouncing' AND EXISTS (SELECT 1 FROM contact_channels h
                   WHERE h.contact_id = c.id AND h.proven_at IS NOT NULL
                     AND h.removed_at IS NULL))),
             (SELECT max(a.claimed_at) FROM alerts a
               WHERE a.user_id = s.user_id AND a.ended_at IS NULL AND a.timer_id IS NULL)
      FROM checkin_settings s WHERE s.user_id = \(person)
      """
    ) { row in
      var monitor = CheckInMonitor(zone: zone)
      monitor.threshold = try row.next()
      monitor.thresholdHours = try row.next()
      monitor.alertMinute = try row.next()
      monitor.reminderMinute = try row.next()
      monitor.canBeReminded = canBeReminded
      monitor.lastDay = try row.next()
      monitor.lastTap = try row.next()
      monitor.pausedUntil = try row.next()
      monitor.countsFrom = try row.next()
      monitor.remindedDay = try row.next()
      monitor.eveningFor = try row.next()
      monitor.hourFor = try row.next()
      monitor.graceFor = try row.next()
      monitor.aheadFrom = try row.next()
      monitor.hasContact = try row.next()
      monitor.alertedAt = try row.next()
      return monitor
    }
  }

  /// Records a tap; creates the user's row if there is none. The stored days never go back: an
  /// offline tap may be older than the last one. Where hours are counted, the notices of a silence
  /// are forgotten that ends within its day.
  func noteTap(
    _ tap: CheckInAttempt, of person: ID<Person>, language: Language, in writer: WriteTransaction
  ) throws {
    if try !store(tap, of: person, in: writer) {
      try begin(person, language: language, in: writer)
      _ = try store(tap, of: person, in: writer)
    }
  }

  /// False if the user has no row.
  private func store(
    _ tap: CheckInAttempt, of person: ID<Person>, in writer: WriteTransaction
  ) throws -> Bool {
    try writer.execute(
      """
      UPDATE checkin_settings SET
        last_day = CASE WHEN last_day >= \(tap.day) THEN last_day ELSE \(tap.day) END,
        last_tap = CASE WHEN last_tap >= \(tap.moment) THEN last_tap ELSE \(tap.moment) END,
        hour_for = CASE WHEN threshold_hours IS NULL OR last_tap >= \(tap.moment)
          THEN hour_for END,
        grace_for = CASE WHEN threshold_hours IS NULL OR last_tap >= \(tap.moment)
          THEN grace_for END
      WHERE user_id = \(person)
      """) == 1
  }

  /// Excludes days before this one from the count, unless a later one was set before.
  func countFrom(_ day: LocalDay, of person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      UPDATE checkin_settings SET
        counts_from = CASE WHEN counts_from >= \(day) THEN counts_from ELSE \(day) END
      WHERE user_id = \(person)
      """)
  }

  func hasCountedFrom(_ person: ID<Person>, in reader: ReadTransaction) throws -> Bool {
    try reader.exists(
      "SELECT 1 FROM checkin_settings WHERE user_id = \(person) AND counts_from IS NOT NULL")
  }

  /// Stores the sent notices and the next evaluation.
  func keep(
    _ monitor: CheckInMonitor, of person: ID<Person>, next: Instant?, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      UPDATE checkin_settings
      SET reminded_day = \(monitor.remindedDay), evening_for = \(monitor.eveningFor),
        hour_for = \(monitor.hourFor), grace_for = \(monitor.graceFor),
        ahead_from = \(monitor.aheadFrom), next_at = \(next)
      WHERE user_id = \(person)
      """)
  }

  func scheduleNext(at next: Instant?, _ person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute("UPDATE checkin_settings SET next_at = \(next) WHERE user_id = \(person)")
  }

  /// The users who may be due, longest due first.
  func due(now: Instant, limit: Int, in reader: ReadTransaction) throws -> [ID<Person>] {
    try reader.values(
      """
      SELECT user_id FROM checkin_settings WHERE next_at <= \(now) ORDER BY next_at LIMIT \(limit)
      """)
  }

  /// Makes up to `limit` users due now who are scheduled later; returns their number.
  func makeDue(to now: Instant, limit: Int, in writer: WriteTransaction) throws -> Int {
    try writer.execute(
      """
      UPDATE checkin_settings SET next_at = \(now) WHERE user_id IN
        (SELECT user_id FROM checkin_settings WHERE next_at > \(now) LIMIT \(limit))
      """)
  }

  /// Makes these users due now, as if no warning had been sent.
  static func restart(_ people: [ID<Person>], now: Instant, in writer: WriteTransaction) throws {
    for person in people {
      try writer.execute(
        """
        UPDATE checkin_settings SET next_at = \(now), hour_for = NULL, grace_for = NULL
        WHERE user_id = \(person)
        """)
    }
  }

  func isDue(_ person: ID<Person>, now: Instant, in reader: ReadTransaction) throws -> Bool {
    try reader.exists(
      "SELECT 1 FROM checkin_settings WHERE user_id = \(person) AND next_at <= \(now)")
  }

  /// Merges the monitoring state of another user: the later of each value.
  func take(
    from: ID<Person>, to other: ID<Person>, withPause: Bool, in writer: WriteTransaction
  ) throws {
    let theirs = try writer.first(
      """
      SELECT last_day, last_tap, counts_from, paused_until FROM checkin_settings
      WHERE user_id = \(from)
      """
    ) {
      (
        try $0.next(LocalDay?.self), try $0.next(Instant?.self), try $0.next(LocalDay?.self),
        try $0.next(LocalDay?.self)
      )
    }
    guard let theirs else { return }
    let (lastDay, lastTap, countsFrom, pausedUntil) = theirs
    try writer.execute(
      """
      UPDATE checkin_settings SET
        last_day = CASE WHEN last_day >= \(lastDay) THEN last_day
          ELSE coalesce(\(lastDay), last_day) END,
        last_tap = CASE WHEN last_tap >= \(lastTap) THEN last_tap
          ELSE coalesce(\(lastTap), last_tap) END,
        counts_from = coalesce(counts_from, \(countsFrom))
      WHERE user_id = \(other)
      """)
    guard withPause else { return }
    try writer.execute(
      "UPDATE checkin_settings SET paused_until = \(pausedUntil) WHERE user_id = \(other)")
    try writer.execute("UPDATE checkin_pauses SET user_id = \(other) WHERE user_id = \(from)")
  }

  // MARK: Keys
}
