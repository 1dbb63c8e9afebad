import Core
import Database
import WorkoutFiles

extension WorkoutStore {
  /// The part that a workout which the user typed in has in the statistics; nil if there is none.
  func entered(
    _ id: ID<Workout>, of person: ID<Person>, in reader: ReadTransaction
  ) throws -> Removed? {
    try reader.first(
      """
      SELECT energy_cal, distance_mm, duration_ms, day, claim_round FROM workouts
      WHERE id = \(id) AND user_id = \(person) AND source = \(WorkoutSource.entered.rawValue)
      """, make: Self.removed)
  }

  /// Replaces times, figures and training of a workout that the user typed in. The caller updates
  /// the statistics. The workout counts as received now, so that clients which read by `since`
  /// learn of the change.
  func revise(
    _ id: ID<Workout>, as content: WorkoutContent, of person: ID<Person>, on day: LocalDay,
    round: Int64, received: Instant, in writer: WriteTransaction
  ) throws {
    let figures = content.figures
    try writer.execute(
      """
      UPDATE workouts SET started_at = \(content.startedAt), ended_at = \(content.endedAt),
        duration_ms = \(content.duration.count), energy_cal = \(content.energy.count),
        distance_mm = \(content.distance.count), training_id = \(content.training),
        avg_hr = \(figures.averageHeartRate), max_hr = \(figures.maximumHeartRate),
        avg_power = \(figures.averagePower), max_power = \(figures.maximumPower),
        avg_cadence = \(figures.averageCadence), max_cadence = \(figures.maximumCadence),
        day = \(day), claim_round = \(round), received_at = \(received)
      WHERE id = \(id) AND user_id = \(person) AND source = \(WorkoutSource.entered.rawValue)
      """)
  }
}
