import Core
import Foundation

/// Reads Garmin's Training Center files (TrainingCenterDatabase v2 with ActivityExtension v2), as
/// watches, machines and web services write them: by the names of elements, in any order.
struct TCXReader {
  private struct Activity {
    var builder = RecordingBuilder()
    /// The ID of a TCX activity is its start.
    var start: Instant?
    var notes = ""
    var workoutID: ID<WorkoutRecording>?
  }

  private let zone: TimeZone
  private var activity: Activity?
  private var lap: RecordingBuilder.Lap?
  private var point: (time: Instant?, point: RecordingBuilder.Point)?
  private var budget = RecordingBuilder.Budget()
  private var pointCount = 0
  private var lapCount = 0
  private var found: [WorkoutRecording] = []

  /// The note that `TCXWriter` writes for a rower, for which the schema has no sport.
  static let rowerNote = "Indoor rower"

  private init(zone: TimeZone) {
    self.zone = zone
  }

  static func read(
    _ bytes: [UInt8], zone: TimeZone
  ) throws(WorkoutFileError) -> [WorkoutRecording] {
    var reader = TCXReader(zone: zone)
    try XMLElements.read(bytes, root: "TrainingCenterDatabase") {
      element throws(WorkoutFileError) in
      switch element {
      case .open(let name, let attributes): try reader.open(name, attributes)
      case .close(let name, let parent, let text): try reader.close(name, parent: parent, text)
      }
    }
    return reader.found
  }

  // MARK: Elements

  private mutating func open(
    _ name: String, _ attributes: [(name: String, value: String)]
  ) throws(WorkoutFileError) {
    switch name {
    case "Activity":
      // A nested activity would be two workouts at once.
      guard activity == nil else { throw .broken }
      var new = Activity()
      new.builder.machine = XMLValues.machine(
        sport: attributes.first { $0.name == "Sport" }?.value ?? "")
      activity = new
    case "Lap" where activity != nil:
      guard lap == nil else { throw .broken }
      lapCount += 1
      guard lapCount <= XMLValues.maximumParts else { throw .tooMuch }
      var new = RecordingBuilder.Lap()
      new.startedAt = attributes.first { $0.name == "StartTime" }
        .flatMap { Timestamp.read($0.value, zone: zone) }
      lap = new
    case "Trackpoint" where activity != nil:
      guard point == nil else { throw .broken }
      point = (nil, RecordingBuilder.Point(time: Instant(milliseconds: 0)))
    default: break
    }
  }

  private mutating func close(
    _ name: String, parent: String, _ text: String
  ) throws(WorkoutFileError) {
    guard activity != nil else { return }
    switch name {
    case "Activity": try finishActivity()
    case "Lap":
      if let lap { activity?.builder.laps.append(lap) }
      lap = nil
    case "Trackpoint": try finishPoint()
    case "Id" where parent == "Activity": activity?.start = Timestamp.read(text, zone: zone)
    case "Notes" where parent == "Activity": activity?.notes = text
    case "WorkoutID" where parent == "Extensions" && lap == nil: activity?.workoutID = ID(text)
    default:
      guard !text.isEmpty else { return }
      if point != nil {
        readPoint(name, parent: parent, text)
      } else if lap != nil {
        readLap(name, parent: parent, text)
      }
    }
  }

  private mutating func readPoint(_ name: String, parent: String, _ text: String) {
    switch (parent, name) {
    case ("Trackpoint", "Time"): point?.time = Timestamp.read(text, zone: zone)
    case ("Trackpoint", "DistanceMeters"): point?.point.distance = XMLValues.number(text)
    case ("Trackpoint", "Cadence"): point?.point.cadence = XMLValues.number(text)
    case ("HeartRateBpm", "Value"): point?.point.heartRate = XMLValues.number(text)
    case (_, "Watts"): point?.point.power = XMLValues.number(text)
    case (_, "Speed"): point?.point.speed = XMLValues.number(text).map { $0 * 3.6 }
    case (_, "RunCadence"):
      if point?.point.cadence == nil { point?.point.cadence = XMLValues.number(text) }
    default: break
    }
  }

  private mutating func readLap(_ name: String, parent: String, _ text: String) {
    let number = XMLValues.number(text)
    switch (parent, name) {
    case ("Lap", "TotalTimeSeconds"): lap?.duration = number
    case ("Lap", "DistanceMeters"): lap?.distance = number
    case ("Lap", "Calories"): lap?.energy = number
    case ("Lap", "MaximumSpeed"): lap?.figures.maximumSpeed = number.map { $0 * 3.6 }
    case ("Lap", "Cadence"): lap?.figures.averageCadence = number
    case ("AverageHeartRateBpm", "Value"):
      lap?.figures.averageHeartRate = RecordingBuilder.heart(number)
    case ("MaximumHeartRateBpm", "Value"):
      lap?.figures.maximumHeartRate = RecordingBuilder.heart(number)
    case (_, "AvgSpeed"): lap?.figures.averageSpeed = number.map { $0 * 3.6 }
    case (_, "AvgWatts"): lap?.figures.averagePower = number
    case (_, "MaxWatts"): lap?.figures.maximumPower = number
    case (_, "MaxBikeCadence"), (_, "MaxRunCadence"): lap?.figures.maximumCadence = number
    case (_, "AvgRunCadence"):
      if lap?.figures.averageCadence == nil { lap?.figures.averageCadence = number }
    default: break
    }
  }

  private mutating func finishPoint() throws(WorkoutFileError) {
    defer { point = nil }
    // A point without a time is ignored.
    guard let point, let time = point.time else { return }
    pointCount += 1
    guard pointCount <= XMLValues.maximumPoints else { throw .tooMuch }
    var new = point.point
    new.time = time
    activity?.builder.points.append(new)
  }

  private mutating func finishActivity() throws(WorkoutFileError) {
    defer { activity = nil }
    guard var builder = activity?.builder else { return }
    if builder.laps.allSatisfy({ $0.startedAt == nil }) { builder.startedAt = activity?.start }
    if activity?.notes == Self.rowerNote { builder.machine = .rower }
    guard var recording = try builder.build(&budget) else { return }
    recording.id = activity?.workoutID
    found.append(recording)
  }
}
