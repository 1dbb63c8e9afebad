import Core
import Database
import Jobs
import Mail
import Web

/// Whether the instance is well: database, worker, mail, disk (docs/operator/monitoring.md).
struct HealthMonitor: Sendable {
  /// How old a lane's heartbeat may be, in s, or how far ahead of the clock.
  private static let oldestBeat: Int64 = 60

  /// The file of the database.
  let databasePath: String
  let jobs: JobStore
  let mail: MailHealth
  let disks: DiskSpaceMonitor
  /// What the features watch over.
  var others: [HealthCheck] = []

  var checks: [HealthCheck] {
    [
      HealthCheck("database") { _ in
        // The file as it is now: connections that are open may know its pages by heart.
        try Database.inspect(databasePath) { try $0.appliedMigrations() }.isEmpty
          ? HealthProblem("health.database_empty") : nil
      },
      worker("worker", WorkerQueues.everythingElse), worker("mail worker", WorkerQueues.mail),
      worker("scan worker", WorkerQueues.scan),
      HealthCheck("mail") { now in
        switch try mail.trouble(now: now) {
        case nil: nil
        case .refusedUs(let since): HealthProblem("health.mail_refused", since: since)
        case .unreachable(let since): HealthProblem("health.mail_unreachable", since: since)
        case .waits(let since): HealthProblem("health.mail_waits", since: since)
        }
      },
      HealthCheck("disk") { _ in
        disks.shortages.first.map { shortage in
          HealthProblem(
            shortage.kind == .bytes ? "health.disk" : "health.disk_files",
            ["place": shortage.place])
        }
      },
    ] + others
  }

  /// Whether somebody does the jobs of a lane. Each speaks for itself: one may hang while the others
  /// go on.
  private func worker(_ name: String, _ queue: JobQueue) -> HealthCheck {
    HealthCheck(name) { now in
      guard let beat = try jobs.lastBeat(queue.heartbeat) else {
        return HealthProblem("health.no_worker")
      }
      let age = now.seconds(since: beat)
      // One that lives beats by a clock that was set within seconds; one that is at a job has until
      // its lease ends. That one which died at it is not well is told by the others of its process.
      guard abs(age) > Self.oldestBeat, try !jobs.isBusy(queue, now: now) else { return nil }
      return HealthProblem(
        age > 0 ? "health.worker_silent" : "health.worker_ahead", ["seconds": "\(abs(age))"])
    }
  }

  /// What each check finds, nil while all is well. One that can't be made is not well; why stands in
  /// the log, and is nothing for everybody who may ask.
  func findings(now: Instant, log: (String) -> Void) -> [(
    check: HealthCheck, problem: HealthProblem?
  )] {
    checks.map { check in
      do {
        return (check, try check.problem(now))
      } catch {
        log("health: \(check.name): \(error)")
        return (check, HealthProblem("health.unknown"))
      }
    }
  }

  var gauges: [Gauge] {
    [
      Gauge("pairspot_jobs_due") { try jobs.dueCount(now: $0) },
      Gauge("pairspot_mail_waiting") { _ in try mail.waiting() },
      // In s since 1970, so that whoever watches reckons its age; 0 for none yet.
      Gauge("pairspot_last_backup_seconds") { _ in
        Int((try jobs.lastBeat(BackupCommands.heartbeat)?.milliseconds ?? 0) / 1000)
      },
    ]
  }

  /// Counted where the results are noted, since the beginning.
  var counters: [Counter] {
    MailHealth.results.map { result in
      Counter("pairspot_mails_total", label: ("result", result)) { try mail.count(of: result) }
    }
  }
}
