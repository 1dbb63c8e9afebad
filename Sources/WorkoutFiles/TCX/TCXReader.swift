import Core
import Foundation
import XML

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
  /// The local names of the open elements.
  private var path: [String] = []
  private var text = ""
  private var activity: Activity?
  private var lap: RecordingBuilder.Lap?
  private var point: (time: Instant?, point: RecordingBuilder.Point)?
  private var budget = RecordingBuilder.Budget()
  private var pointCount = 0
  private var lapCount = 0
  private var found: [WorkoutRecording] = []

  /// The maximum number of points in a file: more than two days at one per second.
  static let maximumPoints = 200_000
  /// The maximum number of laps in a file: empty ones take memory too.
  static let maximumLaps = 5000
  /// The note that `TCXWriter` writes for a rower, for which the schema has no sport.
  static let rowerNote = "Indoor rower"
  /// The maximum length of a value, in bytes: no value needed from such a file is long.
  private static let maximumValueLength = 4096
  private static let limits = XMLLimits(
    document: WorkoutFile.largest, depth: 64, name: 256, value: maximumValueLength,
    text: maximumValueLength,
    attributes: 64)

  private init(zone: TimeZone) {
    self.zone = zone
  }

  static func read(
    _ bytes: [UInt8], zone: TimeZone
  ) throws(WorkoutFileError) -> [WorkoutRecording] {
    var reader = TCXReader(zone: zone)
    do {
      try XMLReader(limits).read(bytes) { try reader.take($0) }
    } catch {
      throw error as? WorkoutFileError ?? .broken
    }
    return reader.found
  }

  private mutating func take(_ event: XMLEvent) throws(WorkoutFileError) {
    switch event {
    case .open(let name, let attributes):
      let name = Self.local(name)
      guard !path.isEmpty || name == "TrainingCenterDatabase" else { throw .unknownFormat }
      path.append(name)
      text = ""
      try open(name, attributes)
    case .text(let piece):
      if text.utf8.count < Self.maximumValueLength { text += piece }
    case .close:
      let name = path.removeLast()
      try close(
        name, parent: path.last ?? "", text.trimmingCharacters(in: .whitespacesAndNewlines))
      text = ""
    }
  }

  /// A name without its prefix: the files are recognized by local names.
  private static func local(_ name: String) -> String {
    guard let colon = name.utf8.lastIndex(of: UInt8(ascii: ":")) else { return name }
    return String(name[name.index(after: colon)...])
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
      new.builder.machine = Self.machine(
        sport: attributes.first { $0.name == "Sport" }?.value ?? "")
      activity = new
    case "Lap" where activity != nil:
      guard lap == nil else { throw .broken }
      lapCount += 1
      guard lapCount <= Self.maximumLaps else { throw .tooMuch }
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
    case ("Trackpoint", "DistanceMeters"): point?.point.distance = Self.number(text)
    case ("Trackpoint", "Cadence"): point?.point.cadence = Self.number(text)
    case ("HeartRateBpm", "Value"): point?.point.heartRate = Self.number(text)
    case (_, "Watts"): point?.point.power = Self.number(text)
    case (_, "Speed"): point?.point.speed = Self.number(text).map { $0 * 3.6 }
    case (_, "RunCadence"):
      if point?.point.cadence == nil { point?.point.cadence = Self.number(text) }
    default: break
    }
  }

  private mutating func readLap(_ name: String, parent: String, _ text: String) {
    let number = Self.number(text)
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
    guard pointCount <= Self.maximumPoints else { throw .tooMuch }
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

  // MARK: Values

  /// Some programs write sports that are not in the schema.
  private static func machine(sport: String) -> Machine {
    switch sport.lowercased() {
    case "biking", "cycling", "indoor cycling", "virtualride": .bike
    case "rowing", "indoor rowing", "virtualrow": .rower
    default: .other
    }
  }

  private static func number(_ text: String) -> Double? {
    guard text.utf8.count <= 32, let number = Double(text), number.isFinite else { return nil }
    return number
  }
}
