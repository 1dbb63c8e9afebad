import Core
import Database
import Web

/// Deletes workouts and restores them (docs/developer/workouts.md#deleted-workouts).
extension WorkoutService {
  private var deleted: DeletedWorkoutStore { DeletedWorkoutStore() }

  /// Deletes a user's workout and its part of the statistics; it can be restored for 30 days. False if
  /// there is none.
  @discardableResult
  public func remove(_ id: ID<Workout>, of person: ID<Person>, now: Instant) throws -> Bool {
    try database.write { writer in
      var kept = try statisticsService.inCurrentZone(person, in: writer)
      try deleted.keep(id, of: person, now: now, in: writer)
      guard let removed = try workouts.remove(id, of: person, in: writer) else { return false }
      try kept.statistics.remove(
        removed.totals, of: removed.round, on: removed.day,
        latest: try statisticsService.store.latestDay(of: person, in: writer)
      ) {
        try statisticsService.store.hasWorkout(on: $0, of: person, in: writer)
      }
      try statisticsService.store.save(kept, of: person, in: writer)
      try observer.removed(id, in: writer)
      return true
    }
  }

  /// Restores a workout that the user has deleted within `DeletionPeriod`: to the statistics it is one
  /// that comes in now. Returns the workout that is there then: this one, or the same one if that was
  /// uploaded again meanwhile; nil if there is none to restore.
  func restore(_ id: ID<Workout>, of person: ID<Person>, now: Instant) throws -> ID<Workout>? {
    try database.write { writer in
      let found = try deleted.find(
        id, of: person, since: DeletionPeriod.start(now: now), in: writer)
      guard let content = found?.content else { return nil }
      if let same = try same(as: content, of: person, in: writer) {
        try deleted.remove(id, of: person, in: writer)
        return same
      }
      let zone = try statisticsService.zone(of: person, in: writer)
      var kept = try statisticsService.inCurrentZone(person, in: writer)
      let day = LocalDay(content.startedAt, in: zone)
      try deleted.restore(
        id, of: person, on: day, round: kept.statistics.round,
        received: try workouts.receipt(of: person, now: now, in: writer), in: writer)
      try kept.statistics.add(content.totals, on: content.countsForStreak ? day : nil) {
        try statisticsService.store.hasWorkout(on: $0, of: person, in: writer)
      }
      try statisticsService.store.save(kept, of: person, in: writer)
      return id
    }
  }

  /// The user's workout of which an upload with this content would be a duplicate.
  private func same(
    as content: WorkoutContent, of person: ID<Person>, in reader: ReadTransaction
  ) throws -> ID<Workout>? {
    if let found = try workouts.id(of: content.clientSessionID, person, in: reader) { return found }
    return content.source == .file ? try workouts.id(like: content, of: person, in: reader) : nil
  }

  /// Removes the workouts that were deleted 30 days ago for good.
  func purge(now: Instant) throws {
    let oldest = DeletionPeriod.start(now: now)
    while true {
      let count = try database.write {
        try deleted.purge(deletedBefore: oldest, limit: 100, in: $0)
      }
      if count < 100 { return }
    }
  }
}
