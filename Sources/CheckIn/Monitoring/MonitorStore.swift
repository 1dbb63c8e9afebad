import Core
import Database
import Foundation
import Secrets

/// Stores the user's settings and the progress of the monitoring.
struct MonitorStore {
  let keys: KeyRing

  // MARK: Settings

  /// Creates the user's row if there is none.
  func begin(_ person: ID<Person>, language: Language, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      INSERT INTO checkin_settings (user_id, contact_language) VALUES (?, ?)
      ON CONFLICT (user_id) DO NOTHING
      """, person, language.rawValue)
  }

  /// Nil if the user has never saved anything here.
  func settings(of person: ID<Person>, in reader: ReadTransaction) throws -> CheckInSettings? {
    try reader.first(
      """
      SELECT threshold_days, alert_minute, reminder_minute, contact_language, note_sealed,
             paused_until
      FROM checkin_settings WHERE user_id = ?
      """, person
    ) { row in
      CheckInSettings(
        threshold: row.int(0), alertMinute: row.int(1),
        reminderMinute: row.isNull(2) ? nil : row.int(2),
        contactLanguage: Language(rawValue: row.text(3)) ?? .english,
        // A note that cannot be decrypted must not prevent an alert.
        note: row.optionalBytes(4).flatMap {
          try? String(decoding: keys.open($0, for: Self.noteContext(person)), as: UTF8.self)
        } ?? "", pausedUntil: row.optionalDay(5))
    }
  }

  /// Stores the settings except the pause, which has methods of its own.
  func save(_ settings: CheckInSettings, of person: ID<Person>, in writer: WriteTransaction) throws
  {
    let note =
      settings.note.isEmpty
      ? nil : try keys.seal(Array(settings.note.utf8), for: Self.noteContext(person))
    try writer.execute(
      """
      UPDATE checkin_settings SET threshold_days = ?, alert_minute = ?, reminder_minute = ?,
        contact_language = ?, note_sealed = ?
      WHERE user_id = ?
      """, settings.threshold, settings.alertMinute, settings.reminderMinute,
      settings.contactLanguage.rawValue, note, person)
  }

  // MARK: Pauses

  /// Begins a pause today, or changes the end of the current one.
  func pause(
    _ person: ID<Person>, from today: LocalDay, until last: LocalDay, in writer: WriteTransaction
  ) throws {
    let running = try writer.first(
      """
      SELECT first_day FROM checkin_pauses
      WHERE user_id = ? AND first_day <= ? AND last_day >= ? ORDER BY first_day DESC LIMIT 1
      """, person, today, today
    ) { $0.day(0) }
    try writer.execute(
      """
      INSERT INTO checkin_pauses (user_id, first_day, last_day) VALUES (?, ?, ?)
      ON CONFLICT (user_id, first_day) DO UPDATE SET last_day = excluded.last_day
      """, person, running ?? today, last)
    try writer.execute(
      "UPDATE checkin_settings SET paused_until = ? WHERE user_id = ?", last, person)
  }

  /// Ends a pause with the day before `day`; the days before stay paused.
  func endPause(_ person: ID<Person>, before day: LocalDay, in writer: WriteTransaction) throws {
    let yesterday = day.adding(days: -1)
    try writer.execute(
      "DELETE FROM checkin_pauses WHERE user_id = ? AND first_day >= ?", person, day)
    let cut = try writer.execute(
      """
      UPDATE checkin_pauses SET last_day = ?
      WHERE user_id = ? AND first_day < ? AND last_day >= ?
      """, yesterday, person, day, day)
    try writer.execute(
      "UPDATE checkin_settings SET paused_until = ? WHERE user_id = ? AND paused_until >= ?",
      cut > 0 ? yesterday : nil, person, day)
  }

  /// Pauses that overlap a range of days, both ends included.
  func pauses(
    of person: ID<Person>, from first: LocalDay, to last: LocalDay, in reader: ReadTransaction
  ) throws -> [ClosedRange<LocalDay>] {
    try reader.rows(
      """
      SELECT first_day, last_day FROM checkin_pauses
      WHERE user_id = ? AND first_day <= ? AND last_day >= ? ORDER BY first_day
      """, person, last, first
    ) { $0.day(0)...max($0.day(0), $0.day(1)) }
  }

  // MARK: Monitoring

  /// The state that the rules need; nil if the user has never saved anything here.
  func monitor(
    over person: ID<Person>, zone: TimeZone, canBeReminded: Bool, in reader: ReadTransaction
  ) throws -> CheckInMonitor? {
    try reader.first(
      """
      SELECT s.threshold_days, s.alert_minute, s.reminder_minute, s.last_day, s.last_tap,
             s.paused_until, s.counts_from, s.reminded_day, s.evening_for, s.hour_for, s.grace_for,
             s.ahead_from,
             EXISTS (SELECT 1 FROM emergency_contacts c WHERE c.user_id = s.user_id
               AND c.removed_at IS NULL AND c.state IN ('pending', 'introduced')),
             (SELECT max(a.claimed_at) FROM alerts a
               WHERE a.user_id = s.user_id AND a.ended_at IS NULL)
      FROM checkin_settings s WHERE s.user_id = ?
      """, person
    ) { row in
      var monitor = CheckInMonitor(zone: zone)
      monitor.threshold = row.int(0)
      monitor.alertMinute = row.int(1)
      monitor.reminderMinute = row.isNull(2) ? nil : row.int(2)
      monitor.canBeReminded = canBeReminded
      monitor.lastDay = row.optionalDay(3)
      monitor.lastTap = row.optionalInstant(4)
      monitor.pausedUntil = row.optionalDay(5)
      monitor.countsFrom = row.optionalDay(6)
      monitor.remindedDay = row.optionalDay(7)
      monitor.eveningFor = row.optionalDay(8)
      monitor.hourFor = row.optionalDay(9)
      monitor.graceFor = row.optionalDay(10)
      monitor.aheadFrom = row.optionalDay(11)
      monitor.hasContact = row.flag(12)
      monitor.alertedAt = row.optionalInstant(13)
      return monitor
    }
  }

  /// Records a tap. The stored days never go back: an offline tap may be older than the last one.
  func noteTap(_ tap: CheckInAttempt, of person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      UPDATE checkin_settings SET
        last_day = CASE WHEN last_day >= ? THEN last_day ELSE ? END,
        last_tap = CASE WHEN last_tap >= ? THEN last_tap ELSE ? END
      WHERE user_id = ?
      """, tap.day, tap.day, tap.moment, tap.moment, person)
  }

  /// Excludes days before this one from the count, unless a later one was set before.
  func countFrom(_ day: LocalDay, of person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      UPDATE checkin_settings SET
        counts_from = CASE WHEN counts_from >= ? THEN counts_from ELSE ? END
      WHERE user_id = ?
      """, day, day, person)
  }

  func hasCountedFrom(_ person: ID<Person>, in reader: ReadTransaction) throws -> Bool {
    try reader.exists(
      "SELECT 1 FROM checkin_settings WHERE user_id = ? AND counts_from IS NOT NULL", person)
  }

  /// Stores the sent notices and the next evaluation.
  func keep(
    _ monitor: CheckInMonitor, of person: ID<Person>, next: Instant?, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      UPDATE checkin_settings SET reminded_day = ?, evening_for = ?, hour_for = ?, grace_for = ?,
        ahead_from = ?, next_at = ?
      WHERE user_id = ?
      """, monitor.remindedDay, monitor.eveningFor, monitor.hourFor, monitor.graceFor,
      monitor.aheadFrom,
      next, person)
  }

  func scheduleNext(at next: Instant?, _ person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute("UPDATE checkin_settings SET next_at = ? WHERE user_id = ?", next, person)
  }

  /// The users who may be due, longest due first.
  func due(now: Instant, limit: Int, in reader: ReadTransaction) throws -> [ID<Person>] {
    try reader.rows(
      """
      SELECT user_id FROM checkin_settings WHERE next_at <= ? ORDER BY next_at LIMIT ?
      """, now, limit
    ) { try $0.id(0) }
  }

  /// Makes up to `limit` users due now who are scheduled later; returns their number.
  func makeDue(to now: Instant, limit: Int, in writer: WriteTransaction) throws -> Int {
    try writer.execute(
      """
      UPDATE checkin_settings SET next_at = ? WHERE user_id IN
        (SELECT user_id FROM checkin_settings WHERE next_at > ? LIMIT ?)
      """, now, now, limit)
  }

  /// Makes these users due now, as if no warning had been sent.
  static func restart(_ people: [ID<Person>], now: Instant, in writer: WriteTransaction) throws {
    for person in people {
      try writer.execute(
        """
        UPDATE checkin_settings SET next_at = ?, hour_for = NULL, grace_for = NULL
        WHERE user_id = ?
        """, now, person)
    }
  }

  func isDue(_ person: ID<Person>, now: Instant, in reader: ReadTransaction) throws -> Bool {
    try reader.exists(
      "SELECT 1 FROM checkin_settings WHERE user_id = ? AND next_at <= ?", person, now)
  }

  /// Merges the monitoring state of another user: the later of each value.
  func take(
    from: ID<Person>, to other: ID<Person>, withPause: Bool, in writer: WriteTransaction
  ) throws {
    let theirs = try writer.first(
      "SELECT last_day, last_tap, counts_from, paused_until FROM checkin_settings WHERE user_id = ?",
      from
    ) { ($0.optionalDay(0), $0.optionalInstant(1), $0.optionalDay(2), $0.optionalDay(3)) }
    guard let theirs else { return }
    let (lastDay, lastTap, countsFrom, pausedUntil) = theirs
    try writer.execute(
      """
      UPDATE checkin_settings SET
        last_day = CASE WHEN last_day >= ? THEN last_day ELSE coalesce(?, last_day) END,
        last_tap = CASE WHEN last_tap >= ? THEN last_tap ELSE coalesce(?, last_tap) END,
        counts_from = coalesce(counts_from, ?)
      WHERE user_id = ?
      """, lastDay, lastDay, lastTap, lastTap, countsFrom, other)
    guard withPause else { return }
    try writer.execute(
      "UPDATE checkin_settings SET paused_until = ? WHERE user_id = ?", pausedUntil, other)
    try writer.execute("UPDATE checkin_pauses SET user_id = ? WHERE user_id = ?", other, from)
  }

  // MARK: Keys

  /// Re-encrypts the notes; returns their number.
  static func reencrypt(from old: KeyRing, to new: KeyRing, in writer: WriteTransaction) throws
    -> Int
  {
    let notes = try writer.rows(
      "SELECT user_id, note_sealed FROM checkin_settings WHERE note_sealed IS NOT NULL"
    ) { (try $0.id(0, Person.self), $0.bytes(1)) }
    for (person, sealed) in notes {
      let context = noteContext(person)
      try writer.execute(
        "UPDATE checkin_settings SET note_sealed = ? WHERE user_id = ?",
        try new.seal(try old.open(sealed, for: context), for: context), person)
    }
    return notes.count
  }

  static func noteContext(_ person: ID<Person>) -> AssociatedData {
    AssociatedData(table: "checkin_settings", row: person, column: "note")
  }
}
