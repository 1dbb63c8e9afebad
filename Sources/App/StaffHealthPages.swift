import Basics
import CheckIn
import Jobs
import Templates
import Web

/// `/admin/health`: how this instance does, for people (operations.md, "Seeing it"). The same checks
/// and figures as `/healthz` and `/metrics`.
struct StaffHealthPages: Sendable {
  static let path = "/admin/health"
  /// The results of mails that reach nobody.
  private static let failures = ["refused", "given_up", "bounced"]

  private let site: Site
  private let health: HealthMonitor
  private let gauges: [Gauge]
  private let page: Template<StaffHealthView>

  init(site: Site, health: HealthMonitor, gauges: [Gauge]) throws {
    self.site = site
    self.health = health
    self.gauges = gauges
    page = try site.templates.template("staff/health")
  }

  @Sendable func show(_ request: Request, _ context: Context) throws -> Response {
    let checks = health.checks.map { check -> HealthLineView in
      do {
        let problem = try check.problem(context.now)
        return HealthLineView(
          name: check.name, value: problem ?? context.text("admin.health.fine"),
          isWell: problem == nil)
      } catch {
        return HealthLineView(name: check.name, value: "\(error)", isWell: false)
      }
    }
    let view = StaffHealthView(
      page: PageView(context, title: "admin.health"), checks: checks,
      facts: try facts(context),
      gauges: try gauges.map {
        HealthLineView(name: $0.name, value: String(try $0.value(context.now)), isWell: true)
      })
    return .html(page.render(view, in: context.language))
  }

  /// What people look for first: queues, mail failures, the last scan, the disk.
  private func facts(_ context: Context) throws -> [HealthLineView] {
    let when = When(context)
    func line(_ key: String, _ value: String) -> HealthLineView {
      HealthLineView(name: context.text(key), value: value, isWell: true)
    }
    func seen(_ key: String, _ beat: String) throws -> HealthLineView {
      line(
        key,
        try health.jobs.lastBeat(beat).map(when.moment) ?? context.text("admin.health.never"))
    }
    return [
      line("admin.health.jobs", String(try health.jobs.dueCount(now: context.now))),
      line("admin.health.mail_waiting", String(try health.mail.waiting())),
      line(
        "admin.health.mail_failed",
        String(try Self.failures.reduce(0) { try $0 + health.mail.count(of: $1) })),
      try seen("admin.health.last_scan", CheckInModule.scanHeartbeat),
      try seen("admin.health.worker", Worker.heartbeat),
      line("admin.health.disk", "\(health.freeBytes >> 20) MiB"),
    ]
  }
}

struct StaffHealthView: View {
  let page: PageView
  let checks: [HealthLineView]
  let facts: [HealthLineView]
  let gauges: [HealthLineView]

  static let fields: [String: Field<StaffHealthView>] = [
    "page": .child { $0.page },
    "well": .flag { $0.checks.allSatisfy(\.isWell) },
    "checks": .list { $0.checks },
    "facts": .list { $0.facts },
    "gauges": .list { $0.gauges },
  ]
}

/// A check or a figure.
struct HealthLineView: View {
  let name: String
  let value: String
  let isWell: Bool

  static let fields: [String: Field<HealthLineView>] = [
    "name": .text { $0.name },
    "value": .text { $0.value },
    "well": .flag { $0.isWell },
  ]
}
