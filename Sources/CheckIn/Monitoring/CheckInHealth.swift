import Core
import Database
import Jobs
import Web

/// Health of the monitoring (docs/developer/check-in-contacts.md#mail-sending).
enum CheckInHealth {
  /// How late a scan may be, or how far the last one may be ahead of the clock, in s.
  static let latest: Int64 = .minutes(30)

  static func checks(_ services: CheckInEnvironment) -> [HealthCheck] {
    let jobs = JobStore(database: services.site.database)
    return [
      HealthCheck("check-in scan") { now in
        guard let beat = try jobs.lastBeat(CheckInScan.heartbeat) else {
          return HealthProblem("health.no_scan")
        }
        let late = now.seconds(since: beat) - CheckInScan.every
        if late > latest {
          return HealthProblem("health.scan_late", ["minutes": "\(late / 60)"])
        }
        // A running worker starts the next scan within seconds.
        let ahead = beat.seconds(since: now)
        return ahead > latest
          ? HealthProblem("health.scan_ahead", ["minutes": "\(ahead / 60)"]) : nil
      },
      HealthCheck("handlers") { now in
        guard let beat = try jobs.lastBeat(OutageStore.heartbeat) else { return nil }
        let age = now.seconds(since: beat)
        guard abs(age) > Outage.minimumLength else { return nil }
        return HealthProblem(
          age > 0 ? "health.handlers_silent" : "health.handlers_ahead",
          ["minutes": "\(abs(age) / 60)"])
      },
    ]
  }

  static func counters(_ services: CheckInEnvironment) -> [Counter] {
    [PersistentCounter.alerts, PersistentCounter.checkIns].map {
      $0.counter(in: services.site.database)
    }
      + CheckInFailure.counters(of: services.site.metrics)
  }

  static func gauges(_ services: CheckInEnvironment) -> [Gauge] {
    [
      // The latest end, in s since 1970; 0 while alerts are not suspended, far in the future while
      // the end is unknown.
      Gauge("pairspot_alerts_held_until_seconds") { now in
        let suspension = try services.site.database.read {
          try services.outages.suspension(now: now, in: $0)
        }
        return suspension.map { Int(($0.until ?? .distantFuture).milliseconds / 1000) } ?? 0
      },
      Gauge("pairspot_alerts_open") { _ in
        try services.site.database.read {
          try $0.count("SELECT count(*) FROM alerts WHERE ended_at IS NULL")
        }
      },
      Gauge("pairspot_check_ins_watched") { _ in
        try services.site.database.read {
          try $0.count("SELECT count(*) FROM checkin_settings WHERE next_at IS NOT NULL")
        }
      },
    ]
  }
}

extension PersistentCounter {
  /// Alerts that were raised, including recalled ones.
  static let alerts = PersistentCounter("pairspot_alerts_total")
  /// First taps of a day, without repeats.
  static let checkIns = PersistentCounter("pairspot_check_ins_total")
}
