import Core
import Database
import WorkoutFiles

/// Stores workouts and their samples; every query is for one user.
public struct WorkoutStore: Sendable {
  /// The maximum size of a page. One more may be requested, to see whether there is another page.
  public static let maximumPageSize = 200

  public init() {}

  // MARK: Reading

  /// A user's workout; nil if there is none, and for another user's.
  public func find(_ id: ID<Workout>, of person: ID<Person>, in reader: ReadTransaction) throws
    -> Workout?
  {
    try reader.first(
      """
      SELECT \(Self.columns), title, note FROM workouts WHERE id = \(id) AND user_id = \(person)
      """, make: Self.workout)
  }

  /// Workouts after `cursor`, newest first. With `since`, only those received at that moment or
  /// later; with `start` and `end`, only those that began at or after the one and before the other;
  /// with `machine`, only those on one.
  public func list(
    of person: ID<Person>, after cursor: PageCursor<Workout>? = nil, since: Instant? = nil,
    from start: Instant? = nil, until end: Instant? = nil, on machine: Machine? = nil, limit: Int,
    in reader: ReadTransaction
  ) throws -> [Workout] {
    let last = end?.milliseconds ?? .max
    let place = cursor.flatMap { $0.key < last ? $0 : nil }
    let (moment, id) = (place?.key ?? last, place?.id.bytes ?? [])
    return try reader.rows(
      """
      SELECT \(Self.columns), title, note FROM workouts
      WHERE user_id = \(person) AND (started_at, id) < (\(moment), \(id))
        AND started_at >= \(start?.milliseconds ?? .min)
        AND received_at >= \(since?.milliseconds ?? .min)
        AND device_type = coalesce(\(machine?.rawValue), device_type)
      ORDER BY started_at DESC, id DESC LIMIT \(max(0, min(limit, Self.maximumPageSize + 1)))
      """, make: Self.workout)
  }

  /// The samples of a user's workout; nil if there is none, and for another user's. Throws
  /// `StorageError.unreadable` for an unknown format.
  public func samples(
    of workout: ID<Workout>, _ person: ID<Person>, in reader: ReadTransaction
  ) throws -> RecordedSamples? {
    let found = try reader.value(
      """
      SELECT s.samples FROM workouts w LEFT JOIN workout_samples s ON s.workout_id = w.id
      WHERE w.id = \(workout) AND w.user_id = \(person)
      """, as: [UInt8]?.self)
    return try found.map { try Self.decode($0, of: workout) }
  }

  /// Stored samples; none for nil.
  static func decode(_ bytes: [UInt8]?, of workout: ID<Workout>) throws -> RecordedSamples {
    guard let bytes else { return RecordedSamples() }
    do {
      return try SamplesCodec.decode(bytes)
    } catch {
      throw StorageError.unreadable("the samples of workout \(workout)")
    }
  }

  /// The machine's raw data of a user's workout; nil if there is none.
  public func raw(
    of workout: ID<Workout>, _ person: ID<Person>, in reader: ReadTransaction
  ) throws -> [UInt8]? {
    try reader.value(
      """
      SELECT s.raw FROM workouts w JOIN workout_samples s ON s.workout_id = w.id
      WHERE w.id = \(workout) AND w.user_id = \(person) AND s.raw IS NOT NULL
      """, as: [UInt8].self)
  }

  /// The number of a user's workouts, and the size of their samples in bytes.
  func size(
    of person: ID<Person>, in reader: ReadTransaction
  ) throws -> (count: Int64, sampleBytes: Int64) {
    try reader.first(
      """
      SELECT count(*), coalesce(sum(length(s.samples)), 0)
      FROM workouts w LEFT JOIN workout_samples s ON s.workout_id = w.id WHERE w.user_id = \(person)
      """
    ) { (try $0.next(Int64.self), try $0.next(Int64.self)) } ?? (0, 0)
  }

  /// The time of receipt for a workout that is stored now: never before the last one. Otherwise a
  /// client that reads by `since` could miss a workout that waited for its transaction.
  func receipt(of person: ID<Person>, now: Instant, in reader: ReadTransaction) throws -> Instant {
    let last = try reader.value(
      "SELECT max(received_at) FROM workouts WHERE user_id = \(person)", as: Instant?.self)
    return max(now, last.flatMap { $0 } ?? now)
  }

  // MARK: Changing

  /// Stores a new workout. The caller updates the statistics.
  func add(
    _ workout: ValidWorkout, samples: [UInt8]?, bests: WorkoutBests, of person: ID<Person>,
    on day: LocalDay, round: Int64, received: Instant, in writer: WriteTransaction
  ) throws -> ID<Workout> {
    let (id, content) = (ID<Workout>(now: received), workout.content)
    let figures = content.figures
    try writer.execute(
      """
      INSERT INTO workouts (\(Self.columns), user_id, day, claim_round, best_20_min_power,
        best_2000_m_ms, best_5000_m_ms, has_bests)
      VALUES (\(id), \(content.clientSessionID), \(content.startedAt), \(content.endedAt),
        \(content.duration.count), \(content.paused?.count), \(content.energy.count),
        \(content.distance.count), \(content.machine.rawValue), \(content.training),
        \(figures.averageHeartRate), \(figures.maximumHeartRate), \(figures.averagePower),
        \(figures.maximumPower), \(figures.averageCadence), \(figures.maximumCadence),
        \(figures.averageSpeed), \(figures.maximumSpeed), \(content.source.rawValue), \(received),
        \(person), \(day), \(round), \(bests.power), \(bests.time2000), \(bests.time5000), 1)
      """)
    let raw = workout.raw.isEmpty ? nil : workout.raw
    if samples != nil || raw != nil {
      try writer.execute(
        """
        INSERT INTO workout_samples (workout_id, samples, raw) VALUES (\(id), \(samples), \(raw))
        """)
    }
    return id
  }

  /// Changes the words and the machine of a user's workout; false if there is none.
  func describe(
    _ id: ID<Workout>, as description: WorkoutDescription, of person: ID<Person>,
    in writer: WriteTransaction
  ) throws -> Bool {
    try writer.execute(
      """
      UPDATE workouts SET title = \(description.title), note = \(description.note),
        device_type = \(description.machine.rawValue)
      WHERE id = \(id) AND user_id = \(person)
      """) == 1
  }

  /// The data of a removed or changed workout that the statistics need.
  struct Removed {
    let totals: WorkoutTotals
    let day: LocalDay
    let round: Int64
  }

  static func removed(_ row: inout RowReader) throws -> Removed {
    Removed(
      totals: WorkoutTotals(
        count: 1, energy: FixedPoint3(count: try row.next()),
        distance: FixedPoint3(count: try row.next()),
        duration: FixedPoint3(count: try row.next())),
      day: try row.next(), round: try row.next())
  }

  /// Removes a user's workout; nil if there is none.
  func remove(
    _ id: ID<Workout>, of person: ID<Person>, in writer: WriteTransaction
  ) throws -> Removed? {
    // The samples are deleted by the foreign key.
    try writer.first(
      """
      DELETE FROM workouts WHERE id = \(id) AND user_id = \(person)
      RETURNING energy_cal, distance_mm, duration_ms, day, claim_round
      """, make: Self.removed)
  }

  /// Moves a guest's workouts to a member. Of two with the same client's name, the member's is
  /// kept; moved workouts count as received now, after the member's last claim.
  func move(
    from guest: ID<Person>, to member: ID<Person>, round: Int64, now: Instant,
    in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      DELETE FROM workouts WHERE user_id = \(guest) AND client_session_id IN
        (SELECT client_session_id FROM workouts WHERE user_id = \(member))
      """)
    try writer.execute(
      """
      UPDATE workouts SET user_id = \(member), claim_round = \(round),
        received_at = \(try receipt(of: member, now: now, in: writer)) WHERE user_id = \(guest)
      """)
  }

  static func count(in reader: ReadTransaction) throws -> Int {
    try reader.count("SELECT count(*) FROM workouts")
  }

  // MARK: Columns

  static let columns: Query = """
    id, client_session_id, started_at, ended_at, duration_ms, paused_ms, energy_cal, distance_mm,
    device_type, training_id, avg_hr, max_hr, avg_power, max_power, avg_cadence, max_cadence,
    avg_speed, max_speed, source, received_at
    """

  static func workout(_ row: inout RowReader) throws -> Workout {
    Workout(
      id: try row.next(),
      content: WorkoutContent(
        clientSessionID: try row.next(), startedAt: try row.next(), endedAt: try row.next(),
        duration: FixedPoint3(count: try row.next()),
        paused: try row.next(Int64?.self).map { FixedPoint3(count: $0) },
        energy: FixedPoint3(count: try row.next()), distance: FixedPoint3(count: try row.next()),
        machine: Machine(rawValue: try row.next()) ?? .other, training: try row.next(),
        figures: try figures(&row), source: WorkoutSource(rawValue: try row.next()) ?? .recorded),
      receivedAt: try row.next(), title: try row.next(), note: try row.next())
  }

  private static func figures(_ row: inout RowReader) throws -> WorkoutFigures {
    var figures = WorkoutFigures()
    figures.averageHeartRate = try row.next()
    figures.maximumHeartRate = try row.next()
    figures.averagePower = try row.next()
    figures.maximumPower = try row.next()
    figures.averageCadence = try row.next()
    figures.maximumCadence = try row.next()
    figures.averageSpeed = try row.next()
    figures.maximumSpeed = try row.next()
    return figures
  }
}
