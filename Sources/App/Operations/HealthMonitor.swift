import Core
import Database
import Jobs
import Mail
import Web

/// The health of the instance: database, worker, mail, disk, drills (docs/operator/monitoring.md).
struct HealthMonitor: Sendable {
  /// The maximum age of a queue's heartbeat, and the maximum it may be ahead of the clock, in s.
  private static let oldestBeat: Int64 = 60

  let database: Database
  let jobs: JobStore
  let mail: MailHealth
  let disks: DiskSpaceMonitor
  /// The features' own checks.
  var others: [HealthCheck] = []

  var drills: DrillRecord { DrillRecord(jobs: jobs) }

  var checks: [HealthCheck] {
    [
      HealthCheck("database") { _ in
        try database.readStored { try $0.appliedMigrations() }.isEmpty
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
      Gauge("pairspot_jobs_due", "Jobs that are due.") { try jobs.dueCount(now: $0) },
      Gauge("pairspot_mail_waiting", "Mails to be sent.") { _ in try mail.waiting() },
      // A moment, so that the monitoring computes its age.
      Gauge(
        "pairspot_last_backup_timestamp_seconds",
        "Time of the last good backup in s since 1970; 0 before the first one."
      ) { _ in Int((try jobs.lastBeat(BackupCommands.heartbeat)?.milliseconds ?? 0) / 1000) },
      Gauge(
        "pairspot_last_drill_timestamp_seconds",
        "Time of the last passed restore drill in s since 1970; 0 before the first one."
      ) { _ in Int((try drills.lastPass()?.milliseconds ?? 0) / 1000) },
    ] + disks.gauges + checks.map(Self.gauge(of:))
  }

  /// Whether a check has a problem; one that fails has.
  private static func gauge(of check: HealthCheck) -> Gauge {
    Gauge(
      "pairspot_health_problem", "1 if this check of /healthz has a problem, else 0.",
      label: ("check", check.name)
    ) { now in
      do {
        return try check.problem(now) == nil ? 0 : 1
      } catch {
        return 1
      }
    }
  }

  /// Counted where the results are recorded, since the instance's start.
  var counters: [Counter] {
    MailHealth.results.map { result in
      Counter(
        "pairspot_mails_total", "Attempts to send mail, by result.", label: ("result", result)
      ) { try mail.count(of: result) }
    }
  }
}
