import Basics
import Web

/// `/csrf`, `/healthz`, `/metrics`.
struct SystemPages: Sendable {
  private let site: Site
  private let health: HealthMonitor
  private let gauges: [Gauge]

  init(site: Site, health: HealthMonitor, gauges: [Gauge]) throws {
    self.site = site
    self.health = health
    self.gauges = gauges
  }

  /// A fresh token for scripts, before they send what waited, and whose session it belongs to: what
  /// one person left waiting in a browser never goes out under another's name.
  @Sendable func csrf(_ request: Request, _ context: Context) -> Response {
    let token = JSONText.quoted(context.csrfToken())
    let user = context.browserUser.map(JSONText.quoted) ?? "null"
    return .json(Array("{\"token\":\(token),\"user\":\(user)}".utf8))
  }

  /// 200 while all is well, else 503 and what is wrong.
  @Sendable func healthz(_ request: Request, _ context: Context) -> Response {
    var problems: [(String, String)] = []
    for check in health.checks {
      do {
        if let problem = try check.problem(context.now) { problems.append((check.name, problem)) }
      } catch {
        problems.append((check.name, "\(error)"))
      }
    }
    let lines = problems.map { "\(JSONText.quoted($0.0)):\(JSONText.quoted($0.1))" }
    let body = "{\"ok\":\(problems.isEmpty),\"problems\":{\(lines.joined(separator: ","))}}"
    return .json(Array(body.utf8), status: problems.isEmpty ? .ok : .serviceUnavailable)
  }

  /// For who asks on this machine, and not through a proxy.
  @Sendable func metrics(_ request: Request, _ context: Context) throws -> Response {
    guard request.isFromThisMachine else { throw Problem.notFound }
    let values = gauges.compactMap { gauge -> (name: String, value: Int)? in
      do {
        return (gauge.name, try gauge.value(context.now))
      } catch {
        // The others say what they can: one is most wanted when something is wrong.
        site.logger.error("\(gauge.name): \(error)")
        return nil
      }
    }
    return .text(site.metrics.text(gauges: values))
  }
}
