import Accounts
import Core
import Database

/// Computes a user's suspension from all decisions: a short suspension for one thing doesn't end a
/// long one for another, and lifting one keeps the others.
struct SuspensionCalculator {
  let services: ModerationEnvironment

  /// Suspends a user until the latest end of all decisions in force, or lifts the suspension if
  /// there are none. Runs in the transaction of the decision.
  func apply(to person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    let couple = try services.moderationStatuses.person(person, now: now, in: writer)?.couple
    let sentences = try services.cases.sentences(of: person, couple: couple, in: writer)
    let longest = sentences.filter { ($0.until ?? .distantFuture) > now }
      .max { ($0.until ?? .distantFuture) < ($1.until ?? .distantFuture) }
    if let longest {
      try services.moderationStatuses.suspend(
        person, until: longest.until, why: longest.why, in: writer)
    } else {
      try services.moderationStatuses.lift(person, in: writer)
    }
  }
}

extension Instant {
  fileprivate static let distantFuture = Instant(milliseconds: .max)
}
