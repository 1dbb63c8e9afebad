import Database
import Web

/// What must always hold in this room's tables.
enum CheckInDoctor {
  static let checks = [nobodyIsForgotten, lastDaysAreRight]

  /// Somebody with a check-in and somebody to tell, whom no scan would ever look at.
  private static let nobodyIsForgotten = DoctorCheck(
    "nobody who checks in is forgotten",
    find: { try $0.rows(forgotten) { "person \($0.text(0)) is never looked at" } },
    repair: {
      try $0.execute(
        """
        UPDATE checkin_settings SET next_at = 0
        WHERE lower(hex(user_id)) IN (\(forgotten))
        """)
    })

  private static let forgotten =
    """
    SELECT lower(hex(s.user_id)) FROM checkin_settings s JOIN people_seen p ON p.id = s.user_id
    WHERE s.next_at IS NULL AND s.last_day IS NOT NULL
      AND EXISTS (SELECT 1 FROM emergency_contacts c WHERE c.user_id = s.user_id
        AND c.removed_at IS NULL AND c.state IN ('pending', 'introduced'))
      AND NOT EXISTS (SELECT 1 FROM alerts a
        WHERE a.user_id = s.user_id AND a.ended_at IS NULL)
    """

  private static let lastDaysAreRight = DoctorCheck(
    "the last check-in is known",
    find: {
      try $0.rows(
        """
        SELECT lower(hex(s.user_id)) FROM checkin_settings s
        WHERE s.last_day IS NOT coalesce(
          (SELECT max(c.day) FROM check_ins c WHERE c.user_id = s.user_id), s.last_day)
        """
      ) { "person \($0.text(0))" }
    },
    repair: {
      try $0.execute(
        """
        UPDATE checkin_settings SET next_at = 0, last_day = coalesce(
          (SELECT max(c.day) FROM check_ins c WHERE c.user_id = checkin_settings.user_id),
          last_day)
        """)
    })
}
