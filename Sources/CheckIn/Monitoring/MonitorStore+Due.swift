import Core
import Database

extension MonitorStore {
  /// Whether a check-in of this day is expected of a user who has checked in before: not in a pause,
  /// and not without a contact.
  func isDue(_ person: ID<Person>, on today: LocalDay, in reader: ReadTransaction) throws -> Bool {
    try reader.exists(
      """
      SELECT 1 FROM checkin_settings s
      WHERE s.user_id = \(person) AND s.last_day < \(today)
        AND (s.paused_until IS NULL OR s.paused_until < \(today))
        AND EXISTS (
          SELECT 1 FROM emergency_contacts c
          WHERE c.user_id = s.user_id AND c.removed_at IS NULL)
      """)
  }
}
