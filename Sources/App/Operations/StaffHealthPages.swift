import Accounts
import CheckIn
import Core
import Jobs
import Templates
import Web

/// `/admin/health`: the health of this instance, for people (docs/operator/monitoring.md): the
/// checks of `/healthz`, and the most wanted figures. All other figures are in `/metrics`.
struct StaffHealthPages: Sendable {
  static let path = "/admin/health"
  private static let maximumMailCount = 1000
  /// The results of mails that were not delivered.
  private static let failures = ["refused", "given_up", "bounced"]

  private let site: AppEnvironment
  private let health: HealthMonitor
  private let page: Page<StaffHealthView>
  private let alertSuspension: @Sendable (Instant) throws -> AlertSuspension?

  /// `alertSuspension` returns the suspension of alerts about missed check-ins, if any.
  init(
    site: AppEnvironment, health: HealthMonitor,
    alertSuspension: @escaping @Sendable (Instant) throws -> AlertSuspension?
  ) throws {
    self.site = site
    self.health = health
    self.alertSuspension = alertSuspension
    page = try Page("staff/health", title: "admin.health", in: site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    try page.response(view(of: context), context)
  }

  /// The state of the instance with all that is wrong, for the front page of staff.
  @Sendable func state(_ context: Context) throws -> StaffHealth {
    let found = try view(of: context)
    return StaffHealth(
      link: Self.path,
      problems: (found.figures + found.checks).filter { !$0.isHealthy }.map {
        StaffHealthProblem(name: $0.name, text: $0.value)
      })
  }

  private func view(of context: Context) throws -> StaffHealthView {
    let findings = health.findings(now: context.now, log: context.noteError)
    let when = DateFormatting(context)
    let checks = findings.map { check, problem in
      HealthLineView(
        name: Self.name(of: check, context),
        value: problem?.text(site.catalogues, in: context.language, moment: when.moment)
          ?? context.text("admin.health.ok"),
        isHealthy: problem == nil)
    }
    return StaffHealthView(checks: checks, figures: try figures(context))
  }

  /// The name of a check in the viewer's language.
  private static func name(of check: HealthCheck, _ context: Context) -> String {
    let key = "admin.health.check_\(check.name.replacing("-", with: "_").replacing(" ", with: "_"))"
    return context.site.catalogues.contains(key) ? context.text(key) : check.name
  }

  /// The number of waiting mails; above a thousand the exact number doesn't matter.
  private func mailWaiting() throws -> String {
    let count = try health.mail.waiting(maximum: Self.maximumMailCount + 1)
    return count > Self.maximumMailCount ? "\(Self.maximumMailCount)+" : String(count)
  }

  /// Whether alerts are suspended, until when, and why. A suspension without an end needs an
  /// operator.
  private func alerts(_ context: Context, _ when: DateFormatting) throws -> HealthLineView {
    let name = context.text("admin.health.alerts")
    guard let suspension = try alertSuspension(context.now) else {
      return HealthLineView(
        name: name, value: context.text("admin.health.alerts_due"), isHealthy: true)
    }
    let why = context.text(suspension.reasonKey)
    guard let until = suspension.until else {
      return HealthLineView(
        name: name, value: context.text("admin.health.alerts_unknown", ["why": why]),
        isHealthy: false)
    }
    return HealthLineView(
      name: name,
      value: context.text(
        "admin.health.alerts_until", ["until": when.moment(until), "why": why]), isHealthy: true)
  }

  /// An instance without any backup isn't well.
  private func backup(_ context: Context, _ when: DateFormatting) throws -> HealthLineView {
    let last = try health.jobs.lastBeat(BackupCommands.heartbeat)
    return HealthLineView(
      name: context.text("admin.health.last_backup"),
      value: last.map(when.moment) ?? context.text("admin.health.no_backup"), isHealthy: last != nil
    )
  }

  private static func size(_ bytes: UInt64) -> String {
    bytes >= 10 << 30 ? "\(bytes >> 30) GiB" : "\(bytes >> 20) MiB"
  }

  /// The most wanted figures: queues, mail failures, the last scan, the disk.
  private func figures(_ context: Context) throws -> [HealthLineView] {
    let when = DateFormatting(context)
    func line(_ key: String, _ value: String) -> HealthLineView {
      HealthLineView(name: context.text(key), value: value, isHealthy: true)
    }
    func seen(_ key: String, _ beat: String) throws -> HealthLineView {
      line(
        key,
        try health.jobs.lastBeat(beat).map(when.moment) ?? context.text("admin.health.never"))
    }
    return [
      line("admin.health.jobs", String(try health.jobs.dueCount(now: context.now))),
      line("admin.health.mail_waiting", try mailWaiting()),
      line(
        "admin.health.mail_failed",
        String(try Self.failures.reduce(0) { try $0 + health.mail.count(of: $1) })),
      try seen("admin.health.last_scan", CheckInModule.scanHeartbeat),
      try alerts(context, when),
      try seen("admin.health.worker", Worker.heartbeat),
      try backup(context, when),
      line(
        "admin.health.last_drill",
        try health.drills.lastPass().map(when.moment) ?? context.text("admin.health.never")),
      line("admin.health.disk", Self.size(health.disks.freeBytes)),
    ]
  }
}

struct StaffHealthView: View {
  let checks: [HealthLineView]
  let figures: [HealthLineView]

  static let fields: [String: Field<StaffHealthView>] = [
    "well": .flag { ($0.checks + $0.figures).allSatisfy(\.isHealthy) },
    "checks": .list { $0.checks },
    "facts": .list { $0.figures },
  ]
}

/// A check or a figure.
struct HealthLineView: View {
  let name: String
  let value: String
  let isHealthy: Bool

  static let fields: [String: Field<HealthLineView>] = [
    "name": .text { $0.name },
    "value": .text { $0.value },
    "well": .flag { $0.isHealthy },
  ]
}
