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
      HealthCheck("watchman") { now in
        guard services.watchmanKey != nil,
          let state = try services.site.database.read({ try services.watchman.state(in: $0) })
        else { return nil }
        let age = now.seconds(since: state.askedAt)
        return abs(age) > latest
          ? HealthProblem("health.watchman_silent", ["minutes": "\(abs(age) / 60)"]) : nil
      },
      HealthCheck("channels") { now in
        guard services.channelOffers.hasApprise else { return nil }
        let beat = try jobs.lastBeat(ChannelDispatcher.heartbeat)
        let age = beat.map { abs(now.seconds(since: $0)) }
        guard let age, age <= ChannelDispatcher.every + latest else {
          return HealthProblem("health.no_apprise")
        }
        return nil
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
      Gauge(
        "pairspot_alerts_held_until_timestamp_seconds",
        "Until when alerts are held in s since 1970; 0 if they are not held."
      ) { now in
        let suspension = try services.site.database.read {
          try services.outages.suspension(now: now, in: $0)
        }
        return suspension.map { Int(($0.until ?? .distantFuture).milliseconds / 1000) } ?? 0
      },
      Gauge("pairspot_alerts_open", "Alerts that no check-in has ended.") { _ in
        try services.site.database.read {
          try $0.count("SELECT count(*) FROM alerts WHERE ended_at IS NULL")
        }
      },
      Gauge("pairspot_check_ins_watched", "Users whose check-ins are monitored.") { _ in
        try services.site.database.read {
          try $0.count("SELECT count(*) FROM checkin_settings WHERE next_at IS NOT NULL")
        }
      },
      Gauge(
        "pairspot_alerts_undelivered", "Alerts with a mail that no server has accepted yet."
      ) { _ in
        try services.site.database.read { try services.alerts.undelivered(in: $0).count }
      },
      Gauge(
        "pairspot_alerts_undelivered_oldest_age_seconds",
        "Time in s that the oldest mail of an alert has waited; 0 if none waits."
      ) { now in
        let oldest = try services.site.database.read {
          try services.alerts.undelivered(in: $0).oldest
        }
        return oldest.map { max(0, Int(now.seconds(since: $0))) } ?? 0
      },
      // A moment, so that the monitoring computes its age.
      Gauge(
        "pairspot_last_scan_timestamp_seconds",
        "Time of the last scan for missed check-ins in s since 1970; 0 before the first one."
      ) { _ in
        let jobs = JobStore(database: services.site.database)
        return Int((try jobs.lastBeat(CheckInScan.heartbeat)?.milliseconds ?? 0) / 1000)
      },
    ]
  }
}

extension PersistentCounter {
  /// Alerts that were raised, including recalled ones.
  static let alerts = PersistentCounter(
    "pairspot_alerts_total", "Alerts that were raised, including recalled ones.")
  /// First taps of a day, without repeats.
  static let checkIns = PersistentCounter(
    "pairspot_check_ins_total", "First check-ins of a day.")
}
