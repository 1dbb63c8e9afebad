import Core
import Database
import Jobs
import Mail
import Web

/// The health of the instance: database, worker, mail, disk, drills (docs/operator/monitoring.md).
struct HealthMonitor: Sendable {
  /// The maximum age of a queue's heartbeat, and the maximum it may be ahead of the clock, in s.
  private static let oldestBeat: Int64 = 60

  /// The file of the database.
  let databasePath: String
  let jobs: JobStore
  let mail: MailHealth
  let disks: DiskSpaceMonitor
  /// The features' own checks.
  var others: [HealthCheck] = []

  var drills: DrillRecord { DrillRecord(jobs: jobs) }

  var checks: [HealthCheck] {
    [
      HealthCheck("database") { _ in
        // Reads the file as it is now: open connections may have its pages cached.
        try Database.inspect(databasePath) { try $0.appliedMigrations() }.isEmpty
          ? HealthProblem("health.database_empty") : nil
      },
      worker("worker", WorkerQueues.everythingElse), worker("mail worker", WorkerQueues.mail),
      worker("scan worker", WorkerQueues.scan),
      HealthCheck("mail") { now in
        switch try mail.currentIssue(now: now) {
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
      HealthCheck("drill") { try drills.problem(now: $0) },
    ] + others
  }

  /// Checks that a worker does the jobs of a queue. Each queue has its own check: one may hang
  /// while the others work.
  private func worker(_ name: String, _ queue: JobQueue) -> HealthCheck {
    HealthCheck(name) { now in
      guard let beat = try jobs.lastBeat(queue.heartbeat) else {
        return HealthProblem("health.no_worker")
      }
      let age = now.seconds(since: beat)
      // A living worker beats within seconds after the clock was set; a busy one has until its
      // lease ends. A thread that died at its job is detected through the other queues of its
      // process.
      guard abs(age) > Self.oldestBeat, try !jobs.isBusy(queue, now: now) else { return nil }
      return HealthProblem(
        age > 0 ? "health.worker_silent" : "health.worker_ahead", ["seconds": "\(abs(age))"])
    }
  }

  /// The finding of each check, nil while all is well. A check that fails counts as a problem; its
  /// error is only logged, since the findings are public.
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
      // In s since 1970, so that the monitoring computes its age; 0 for no backup yet.
      Gauge("pairspot_last_backup_seconds") { _ in
        Int((try jobs.lastBeat(BackupCommands.heartbeat)?.milliseconds ?? 0) / 1000)
      },
      Gauge("pairspot_last_drill_timestamp_seconds") { _ in
        Int((try drills.lastPass()?.milliseconds ?? 0) / 1000)
      },
    ]
  }

  /// Counted where the results are recorded, since the instance's start.
  var counters: [Counter] {
    MailHealth.results.map { result in
      Counter("pairspot_mails_total", label: ("result", result)) { try mail.count(of: result) }
    }
  }
}
