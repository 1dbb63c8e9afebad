import Core
import Database
import Live
import Web

/// Whether nginx reaches Redis, through which open pages on all nodes hear of changes. Without it
/// they ask now and then.
struct RedisHealth: Sendable {
  /// How long it is not asked again, in s: with a silent Redis an answer takes a second, and anyone
  /// may call `/healthz`.
  private static let rest: Int64 = 5

  private let isConfigured: Bool
  private let reaches: @Sendable () throws -> Bool
  /// When Redis was last found away.
  private let away = PThreadLocked<Instant?>(nil)

  init(_ configuration: Configuration) {
    let sender = NchanSender(socket: configuration.liveSocketPath)
    self.init(isConfigured: configuration.redis != nil) { try sender.reachesRedis() }
  }

  init(isConfigured: Bool, reaches: @escaping @Sendable () throws -> Bool) {
    self.isConfigured = isConfigured
    self.reaches = reaches
  }

  /// Empty without Redis.
  var healthChecks: [HealthCheck] {
    guard isConfigured else { return [] }
    return [
      HealthCheck("redis") { now in
        try isReached(now: now) ? nil : HealthProblem("health.redis_away")
      }
    ]
  }

  private func isReached(now: Instant) throws -> Bool {
    if let last = away.withLock({ $0 }), 0..<Self.rest ~= now.seconds(since: last) { return false }
    let isReached = try reaches()
    away.withLock { $0 = isReached ? nil : now }
    return isReached
  }

  /// Empty without Redis. Nothing is found while nginx is stopped: only nginx speaks with Redis.
  var doctorChecks: [DoctorCheck] {
    guard isConfigured else { return [] }
    return [
      DoctorCheck("nginx reaches Redis") { _ in
        let isReached = (try? reaches()) ?? true
        return isReached ? [] : ["Redis is away, or PAIRSPOT_REDIS_URL is wrong"]
      }
    ]
  }
}
