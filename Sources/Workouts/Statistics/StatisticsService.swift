import Accounts
import Core
import Database
import Foundation
import Secrets

/// Keeps the statistics of people true to their workouts, inside the transaction that changes them.
struct StatisticsService: Sendable {
  let people: UserDirectory
  /// Where days are counted for who has told no zone.
  let defaultZone: String
  let store = StatisticsStore()

  /// The zone in which a person's days are counted.
  func zone(of person: ID<Person>, in reader: ReadTransaction) throws -> TimeZone {
    PersonTimeZone(
      kept: try people.card(person, in: reader)?.timeZone, site: defaultZone
    ).zone
  }

  /// A person's statistics, their days counted in the zone in which the person lives now.
  func settled(_ person: ID<Person>, in writer: WriteTransaction) throws
    -> StatisticsStore.StoredStatistics
  {
    let zone = try zone(of: person, in: writer.reader)
    var kept =
      try store.find(person, in: writer.reader)
      ?? StatisticsStore.StoredStatistics(zone: zone.identifier)
    guard kept.zone != zone.identifier else { return kept }
    kept.zone = zone.identifier
    try store.setDays(of: person, in: zone, writer)
    kept.statistics.run = try store.counted(
      person, round: kept.statistics.round, in: writer.reader
    ).run
    try store.save(kept, of: person, in: writer)
    return kept
  }

  /// Counts everything anew; the claim stays.
  func recount(_ person: ID<Person>, in writer: WriteTransaction) throws {
    let zone = try zone(of: person, in: writer.reader)
    var kept =
      try store.find(person, in: writer.reader)
      ?? StatisticsStore.StoredStatistics(zone: zone.identifier)
    kept.zone = zone.identifier
    try store.setDays(of: person, in: zone, writer)
    let counted = try store.counted(person, round: kept.statistics.round, in: writer.reader)
    kept.statistics.totals = counted.totals
    kept.statistics.later = counted.later
    kept.statistics.run = counted.run
    try store.save(kept, of: person, in: writer)
  }

  /// What a person sees at `now`. Who moved since the last change sees their days in the old zone
  /// until something is written: `AccountParticipant.moved` does at once.
  func effective(
    _ person: ID<Person>, now: Instant, in reader: ReadTransaction
  ) throws -> EffectiveStatistics {
    let kept = try store.find(person, in: reader)
    // Today in the zone in which the days were counted: two zones would end a streak that lives.
    let zone =
      try kept.flatMap { TimeZone(named: $0.zone) } ?? zone(of: person, in: reader)
    let statistics = kept?.statistics ?? WorkoutStatistics()
    return statistics.effective(
      today: LocalDay(now, in: zone),
      claimDay: statistics.claimedAt.map { LocalDay($0, in: zone) })
  }
}
