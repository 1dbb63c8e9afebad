import Core
import Database
import Foundation
import WorkoutFiles

/// Invariants of this module's tables.
struct WorkoutsDoctor: Sendable {
  let statisticsService: StatisticsService

  var checks: [DoctorCheck] {
    let doctor = self
    return [
      DoctorCheck(
        "workout statistics are correct", find: { try doctor.wrongStatistics($0) },
        repairInSteps: { try doctor.recount($0) }),
      DoctorCheck("workout samples are readable") { try doctor.unreadable($0) },
    ]
  }

  /// Recounts the statistics of all users and reports differences.
  private func wrongStatistics(_ reader: ReadTransaction) throws -> [String] {
    try statisticsService.store.users(in: reader).flatMap {
      try wrongStatistics(of: $0, reader)
    }
  }

  private func wrongStatistics(of person: ID<Person>, _ reader: ReadTransaction) throws -> [String]
  {
    let kept = try statisticsService.store.find(person, in: reader)
    let statistics = kept?.statistics ?? WorkoutStatistics()
    let counted = try statisticsService.store.counted(person, round: statistics.round, in: reader)
    var lines: [String] = []
    func compare(_ what: String, _ kept: String, _ counted: String) {
      if kept != counted { lines.append("user \(person): \(what) \(kept), counted \(counted)") }
    }
    compare("totals", Self.text(statistics.totals), Self.text(counted.totals))
    compare("since they were last set", Self.text(statistics.later), Self.text(counted.later))
    compare("streak", Self.text(statistics.run), Self.text(counted.run))
    if let zone = kept.flatMap({ TimeZone(named: $0.zone) }) {
      let wrong = try statisticsService.store.wrongDays(of: person, in: zone, reader)
      if wrong > 0 { lines.append("user \(person): \(wrong) workouts on a wrong day") }
    }
    return lines
  }

  /// One transaction per user, who may have years of workouts.
  private func recount(_ database: Database) throws {
    let wrong = try database.read { reader in
      try statisticsService.store.users(in: reader).filter {
        try !wrongStatistics(of: $0, reader).isEmpty
      }
    }
    try database.writeInBatches(wrong, step: 1) { try statisticsService.recount($0, in: $1) }
  }

  private func unreadable(_ reader: ReadTransaction) throws -> [String] {
    try reader.rows(
      """
      SELECT lower(hex(workout_id)), samples FROM workout_samples WHERE samples IS NOT NULL
      UNION ALL
      SELECT lower(hex(id)), samples FROM deleted_workouts WHERE samples IS NOT NULL
      """
    ) { row -> String? in
      let (id, samples) = (try row.next(String.self), try row.next([UInt8].self))
      do {
        _ = try SamplesCodec.decode(samples)
        return nil
      } catch {
        return "the samples of workout \(id) are damaged"
      }
    }.compactMap { $0 }
  }

  private static func text(_ totals: WorkoutTotals) -> String {
    "\(totals.count) workouts, \(totals.energy.value) kcal, \(totals.distance.value) m, "
      + "\(totals.duration.value) s"
  }

  private static func text(_ run: WorkoutStreak) -> String {
    "\(run.length) up to \(run.last?.description ?? "none")"
  }
}
