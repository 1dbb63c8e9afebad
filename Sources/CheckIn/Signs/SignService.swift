import Core
import Database
import Secrets
import Web

/// Turns signs of life into check-ins.
public struct SignService: Sendable {
  /// The number of calls of one user's token.
  static let calls = RateLimit("checkin-pings", maximum: 60, window: .hours(1))
  /// The number of calls with wrong tokens from one address.
  static let wrongCalls = RateLimit("checkin-pings-wrong", maximum: 30, window: .hours(1))

  let services: CheckInEnvironment

  /// Counts a sign of life as today's check-in if the user has chosen so. During a pause it does
  /// not count, since only a tap says that the pause is over.
  public func noticed(
    _ sign: SignOfLife, of person: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws {
    guard try services.signs.choice(of: person, in: writer).counts(sign),
      let card = try services.people.card(person, in: writer),
      let monitor = try services.monitor(over: card, now: now, in: writer), !monitor.isPaused(now)
    else { return }
    _ = try CheckInService(services: services).tap(
      by: card, sign: sign, now: now, in: writer)
  }

  /// Counts a call with a token. Returns false if no user has it; throws 429 after too many.
  func call(with text: String, from address: String, now: Instant) throws -> Bool {
    let database = services.site.database
    let person = try services.limits.attempt(Self.wrongCalls, address, now: now) {
      try Token(text).flatMap { token in
        try database.read { try services.signs.person(with: token, in: $0) }
      }
    }
    guard let person else { return false }
    try services.limits.count(Self.calls, person.description, now: now)
    try database.write { try noticed(.ping, of: person, now: now, in: $0) }
    return true
  }
}
