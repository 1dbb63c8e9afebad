import Core
import Web

/// `/csrf`, `/healthz`, `/metrics`.
struct SystemPages: Sendable {
  private let site: AppEnvironment
  private let health: HealthMonitor
  private let gauges: [Gauge]
  private let counters: [Counter]

  init(site: AppEnvironment, health: HealthMonitor, gauges: [Gauge], counters: [Counter]) {
    self.site = site
    self.health = health
    self.gauges = gauges
    self.counters = counters
  }

  /// A fresh token for scripts before they send queued data, and the pseudonym of its session's
  /// user: data queued in a browser by one person is never sent as another.
  @Sendable func csrf(_ context: Context) -> Response {
    let token = JSONStringWriter.quoted(context.csrfToken())
    let user = context.browserUser.map(JSONStringWriter.quoted) ?? "null"
    return .json(Array("{\"token\":\(token),\"user\":\(user)}".utf8))
  }

  /// 200 while all is well, else 503 and the problems, in English as in logs.
  @Sendable func healthz(_ context: Context) -> Response {
    let findings = health.findings(now: context.now, log: context.noteError)
    let problems = findings.compactMap { finding in
      finding.problem.map {
        (
          finding.check.name,
          $0.text(site.catalogues, in: .english, moment: { $0.rfc3339 })
        )
      }
    }
    let lines = problems.map { "\(JSONStringWriter.quoted($0.0)):\(JSONStringWriter.quoted($0.1))" }
    let body = "{\"ok\":\(problems.isEmpty),\"problems\":{\(lines.joined(separator: ","))}}"
    return .json(Array(body.utf8), status: problems.isEmpty ? .ok : .serviceUnavailable)
  }

  /// For clients on this machine without a proxy.
  @Sendable func metrics(_ context: Context) throws -> Response {
    guard context.request.isFromThisMachine else { throw Problem.notFound }
    // A metric that can't be read doesn't affect the others: metrics are needed most when something
    // is wrong.
    func reading(_ name: String, _ read: () throws -> Int) -> Int? {
      do {
        return try read()
      } catch {
        context.noteError("\(name): \(error)")
        return nil
      }
    }
    let now = context.now
    return .text(
      site.metrics.text(
        gauges: gauges.compactMap { gauge in
          reading(gauge.metric.name) { try gauge.value(now) }.map { (gauge.metric, $0) }
        },
        counters: counters.compactMap { counter in
          reading(counter.metric.name, counter.value).map { (counter.metric, $0) }
        }))
  }
}
