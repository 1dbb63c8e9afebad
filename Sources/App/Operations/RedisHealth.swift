import Database
import Live
import Web

/// Whether nginx reaches Redis, through which open pages on all nodes hear of changes. Without it
/// they ask now and then.
struct RedisHealth: Sendable {
  private let isConfigured: Bool
  private let sender: NchanSender

  init(_ configuration: Configuration) {
    isConfigured = configuration.redis != nil
    sender = NchanSender(socket: configuration.liveSocketPath)
  }

  /// Empty without Redis.
  var healthChecks: [HealthCheck] {
    guard isConfigured else { return [] }
    return [
      HealthCheck("redis") { _ in
        try sender.reachesRedis() ? nil : HealthProblem("health.redis_away")
      }
    ]
  }

  /// Empty without Redis. Nothing is found while nginx is stopped: only nginx speaks with Redis.
  var doctorChecks: [DoctorCheck] {
    guard isConfigured else { return [] }
    return [
      DoctorCheck("nginx reaches Redis") { _ in
        let isReached = (try? sender.reachesRedis()) ?? true
        return isReached ? [] : ["Redis is away, or PAIRSPOT_REDIS_URL is wrong"]
      }
    ]
  }
}
