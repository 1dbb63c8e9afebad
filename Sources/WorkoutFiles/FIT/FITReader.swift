import Core

/// Builds workouts from the messages of FIT files. A session is a workout; without sessions (an
/// empty battery), the laps or the records alone.
struct FITReader {
  /// 1989-12-31T00:00:00Z, the epoch of FIT timestamps.
  static let epoch: Int64 = 631_065_600
  /// The maximum number of records in a file.
  static let maximumRecords = 200_000
  /// The maximum number of laps, sessions and stops in a file.
  static let maximumOtherMessages = 5000
  static let maximumSessions = 200
  /// The value of `type` in `file_id` for an activity, not a plan or settings.
  private static let activity = 4.0

  private var points: [RecordingBuilder.Point] = []
  private var laps: [FITScanner.Message] = []
  private var sessions: [FITScanner.Message] = []
  private var stops: [FITScanner.Message] = []
  private var isActivity = true

  /// Reads a file, and those chained after it. Throws `WorkoutFileError`.
  static func read(_ bytes: [UInt8]) throws(WorkoutFileError) -> [WorkoutRecording] {
    var (start, pointCount) = (0, 0)
    var budget = RecordingBuilder.Budget()
    var found: [WorkoutRecording] = []
    repeat {
      var scanner = try FITScanner(bytes, at: start)
      var reader = FITReader()
      while let message = try scanner.message() {
        try reader.take(message)
        guard pointCount + reader.points.count <= maximumRecords else { throw .tooMuch }
      }
      pointCount += reader.points.count
      if reader.isActivity { found += try reader.recordings(&budget) }
      start = scanner.next
    } while start < bytes.count
    return found
  }

  private mutating func take(_ message: FITScanner.Message) throws(WorkoutFileError) {
    switch message.kind {
    case .fileID: isActivity = message[.fileType] ?? Self.activity == Self.activity
    case .session: sessions.append(message)
    case .lap: laps.append(message)
    case .event: if message[.event] == 0 { stops.append(message) }
    case .record: if let point = Self.point(message) { points.append(point) }
    case .deviceInfo: break
    }
    guard sessions.count + laps.count + stops.count <= Self.maximumOtherMessages else {
      throw .tooMuch
    }
  }

  // MARK: Recordings

  private func recordings(
    _ budget: inout RecordingBuilder.Budget
  ) throws(WorkoutFileError) -> [WorkoutRecording] {
    // Each session scans all points.
    guard sessions.count <= Self.maximumSessions else { throw .tooMuch }
    var found: [WorkoutRecording] = []
    for session in sessions {
      var builder = RecordingBuilder()
      builder.machine = Self.machine([session])
      builder.laps = [Self.lap(session)]
      builder.points = sessions.count == 1 ? points : points(of: session)
      if let recording = try builder.build(&budget) { found.append(recording) }
    }
    if sessions.isEmpty {
      var builder = RecordingBuilder()
      builder.machine = Self.machine(laps)
      builder.laps = laps.map(Self.lap)
      builder.points = points
      builder.paused = pauses()
      if let recording = try builder.build(&budget) { found.append(recording) }
    }
    return found
  }

  /// The points between the start and the end of one of several sessions.
  private func points(of session: FITScanner.Message) -> [RecordingBuilder.Point] {
    guard let start = Self.instant(session[.startTime]) else { return [] }
    let seconds = session[.elapsed] ?? session[.timer] ?? 0
    let end = start.adding(milliseconds: seconds * 1000)
    return points.filter { start <= $0.time && $0.time <= end }
  }

  /// The seconds between the stops and the starts of the timer.
  private func pauses() -> Double? {
    var (sum, stopped): (Double, Double?) = (0, nil)
    for event in stops {
      guard let time = event[.timestamp] else { continue }
      switch event[.eventType] {
      // Start.
      case 0:
        if let stopped, time > stopped { sum += time - stopped }
        stopped = nil
      // Stop, stop all.
      case 1, 4: stopped = stopped ?? time
      default: break
      }
    }
    return sum > 0 ? sum : nil
  }

  // MARK: Messages

  private static func point(_ message: FITScanner.Message) -> RecordingBuilder.Point? {
    guard let time = instant(message[.timestamp]) else { return nil }
    var point = RecordingBuilder.Point(time: time)
    point.power = message[.power]
    point.heartRate = message[.heartRate]
    point.cadence = sum(message[.cadence], message[.fractionalCadence])
    point.speed = (message[.enhancedSpeed] ?? message[.speed]).map { $0 * 3.6 }
    point.distance = message[.distance]
    return point
  }

  private static func lap(_ message: FITScanner.Message) -> RecordingBuilder.Lap {
    var lap = RecordingBuilder.Lap()
    lap.startedAt = instant(message[.startTime])
    lap.duration = message[.timer] ?? message[.elapsed]
    lap.elapsed = message[.elapsed]
    lap.energy = message[.calories]
    lap.distance = message[.distance]
    lap.figures.averageHeartRate = RecordingBuilder.heart(message[.averageHeartRate])
    lap.figures.maximumHeartRate = RecordingBuilder.heart(message[.maximumHeartRate])
    lap.figures.averagePower = message[.averagePower]
    lap.figures.maximumPower = message[.maximumPower]
    lap.figures.averageCadence = sum(
      message[.averageCadence], message[.fractionalAverageCadence])
    lap.figures.maximumCadence = sum(
      message[.maximumCadence], message[.fractionalMaximumCadence])
    lap.figures.averageSpeed =
      (message[.enhancedAverageSpeed] ?? message[.averageSpeed]).map { $0 * 3.6 }
    lap.figures.maximumSpeed =
      (message[.enhancedMaximumSpeed] ?? message[.maximumSpeed]).map { $0 * 3.6 }
    return lap
  }

  private static func machine(_ messages: [FITScanner.Message]) -> Machine {
    messages.lazy.map { FITProfile.machine(sport: $0[.sport], subSport: $0[.subSport]) }
      .first { $0 != .other } ?? .other
  }

  private static func sum(_ whole: Double?, _ fraction: Double?) -> Double? {
    whole.map { $0 + (fraction ?? 0) }
  }

  private static func instant(_ seconds: Double?) -> Instant? {
    // Independent of the type in the file: FIT timestamps have 32 bits.
    guard let seconds, 0...Double(UInt32.max) ~= seconds else { return nil }
    return Instant(milliseconds: (Int64(seconds) + epoch) * 1000)
  }
}
