import Accounts
import Core
import Database
import Foundation
import Secrets

/// Updates statistics within the transaction that changes a user's workouts.
struct StatisticsService: Sendable {
  let people: UserDirectory
  /// The zone in which days are counted if the user has none.
  let defaultZone: String
  let store = StatisticsStore()

  /// The time zone in which a user's days are counted.
  func zone(of person: ID<Person>, in reader: ReadTransaction) throws -> TimeZone {
    PersonTimeZone(
      kept: try people.card(person, in: reader)?.timeZone, site: defaultZone
    ).zone
  }

  /// A user's statistics, with the days counted in the user's current time zone.
  func inCurrentZone(_ person: ID<Person>, in writer: WriteTransaction) throws
    -> StatisticsStore.StoredStatistics
  {
    let zone = try zone(of: person, in: writer)
    var kept =
      try store.find(person, in: writer)
      ?? StatisticsStore.StoredStatistics(zone: zone.identifier)
    guard kept.zone != zone.identifier else { return kept }
    kept.zone = zone.identifier
    try store.setDays(of: person, in: zone, writer)
    kept.statistics.run = try store.counted(
      person, round: kept.statistics.round, in: writer
    ).run
    try store.save(kept, of: person, in: writer)
    return kept
  }

  /// Recounts the statistics; the claim is kept.
  func recount(_ person: ID<Person>, in writer: WriteTransaction) throws {
    let zone = try zone(of: person, in: writer)
    var kept =
      try store.find(person, in: writer)
      ?? StatisticsStore.StoredStatistics(zone: zone.identifier)
    kept.zone = zone.identifier
    try store.setDays(of: person, in: zone, writer)
    let counted = try store.counted(person, round: kept.statistics.round, in: writer)
    kept.statistics.totals = counted.totals
    kept.statistics.later = counted.later
    kept.statistics.run = counted.run
    try store.save(kept, of: person, in: writer)
  }

  /// The statistics as the user sees them at `now`. After a change of the time zone, days are in
  /// the old zone until something is written; `AccountParticipant.moved` does so at once.
  func effective(
    _ person: ID<Person>, now: Instant, in reader: ReadTransaction
  ) throws -> EffectiveStatistics {
    let kept = try store.find(person, in: reader)
    // Today in the zone in which the days were counted: a different zone would end a running
    // streak.
    let zone =
      try kept.flatMap { TimeZone(named: $0.zone) } ?? zone(of: person, in: reader)
    let statistics = kept?.statistics ?? WorkoutStatistics()
    return statistics.effective(
      today: LocalDay(now, in: zone),
      claimDay: statistics.claimedAt.map { LocalDay($0, in: zone) })
  }
}
