import Database

extension CheckInSchema {
  static let placesAndHours = Migration(
    "checkin 11: places in alerts of timers, and thresholds in hours",
    """
    ALTER TABLE checkin_timers ADD COLUMN shares_place INTEGER NOT NULL DEFAULT 0
      CHECK (shares_place IN (0, 1));
    -- Hours after the last check-in; NULL for threshold_days.
    ALTER TABLE checkin_settings ADD COLUMN threshold_hours INTEGER
      CHECK (threshold_hours BETWEEN 1 AND 48);
    """)

  static let callsForHelp = Migration(
    "checkin 12: calls for help",
    """
    -- A timer that ended when it was started, because the user called for help.
    ALTER TABLE checkin_timers ADD COLUMN is_help INTEGER NOT NULL DEFAULT 0
      CHECK (is_help IN (0, 1));
    """)
}
