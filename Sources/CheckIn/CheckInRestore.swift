import Basics
import Database

/// What a restored backup means for the watch (checkin.md, "An outage is ours, not theirs"): taps
/// made since are unknown here, so alerts wait for a day, and people are reminded first.
enum CheckInRestore {
  /// In s.
  static let grace: Int64 = .hours(24)

  static func step(mostGrace: Int64?) -> RestoreStep {
    RestoreStep("check-in") { writer, backup in
      // Else the handlers' first beat would note all the time since the backup as an outage.
      try writer.execute(
        """
        INSERT INTO heartbeats (name, at) VALUES (?, ?)
        ON CONFLICT (name) DO UPDATE SET at = excluded.at
        """, OutageStore.heartbeat, backup.now)
      let length = min(grace, mostGrace ?? grace)
      guard length > 0 else { return nil }
      try writer.execute(
        """
        INSERT INTO outages (began_at, ended_at, grace_until) VALUES (?, ?, ?)
        ON CONFLICT (began_at) DO UPDATE SET
          ended_at = excluded.ended_at, grace_until = excluded.grace_until
        """, backup.madeAt, backup.now, backup.now.adding(seconds: length))
      return "alerts about missed check-ins wait for \(length / 3600) h"
    }
  }
}
