import Basics
import Database
import Jobs

/// The round that the worker makes: whoever may be due is looked after, nobody else is read
/// (checkin.md, "Rules").
struct CheckInScan {
  /// How often it comes, in s.
  static let every: Int64 = .minutes(15)
  /// The name of the heartbeat that says that the scan lives.
  static let heartbeat = "checkin.scan"
  /// How many people share a transaction.
  static let batch = 100

  let services: CheckInServices

  /// Looks after everybody who is due, and writes the weekly lines. One person who can't be looked
  /// after keeps nobody else waiting; throws what stood in the way once all have been seen.
  func run(now: Instant) throws {
    let database = services.site.database
    let graceUntil = try database.read { try services.outages.graceUntil(now: now, in: $0) }
    var failure: (any Error)?
    while true {
      let due = try database.read { try services.watches.due(now: now, limit: Self.batch, in: $0) }
      if due.isEmpty { break }
      do {
        try look(after: due, graceUntil, now: now)
      } catch {
        failure = try oneByOne(due, graceUntil, now: now) ?? failure
      }
    }
    while try ContactDesk(services: services).sendWeekly(limit: Self.batch, now: now) > 0 {}
    if let failure { throw failure }
    try JobStore(database: database).beat(Self.heartbeat, now: now)
  }

  private func look(after people: [ID<Person>], _ graceUntil: Instant?, now: Instant) throws {
    try services.site.database.write { writer in
      let keeper = WatchKeeper(services: services)
      for person in people {
        // Another worker may have been here since the list was read.
        guard try services.watches.isDue(person, now: now, in: writer.reader) else { continue }
        try keeper.lookAfter(person, graceUntil: graceUntil, now: now, in: writer)
      }
    }
  }

  /// Each in a transaction of their own; who fails is tried again in the next round.
  private func oneByOne(
    _ people: [ID<Person>], _ graceUntil: Instant?, now: Instant
  ) throws -> (any Error)? {
    var failure: (any Error)?
    for person in people {
      do {
        try look(after: [person], graceUntil, now: now)
      } catch {
        failure = error
        services.site.logger.error("check-in scan: \(error)")
        try services.site.database.write {
          try services.watches.lookAgain(at: now.adding(seconds: Self.every), person, in: $0)
        }
      }
    }
    return failure
  }
}
