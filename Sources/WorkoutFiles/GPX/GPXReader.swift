import Core
import Foundation

/// Reads GPX 1.0 and 1.1 files, as watches and web services write them: each track is a workout, by
/// the names of elements. Places are used for its distance only and are not kept.
struct GPXReader {
  private struct Track {
    var builder = RecordingBuilder()
    /// The way so far, in m.
    var distance = 0.0
    /// Of the last point in the open segment.
    var place: Place?
    /// The time of the last point.
    var lastTime: Instant?
    var isAtSegmentStart = true
  }

  private struct Point {
    var time: Instant?
    let place: Place?
    var values = RecordingBuilder.Point(time: Instant(milliseconds: 0))
  }

  private let zone: TimeZone
  private var track: Track?
  private var point: Point?
  private var budget = RecordingBuilder.Budget()
  private var pointCount = 0
  private var partCount = 0
  private var found: [WorkoutRecording] = []

  private init(zone: TimeZone) {
    self.zone = zone
  }

  static func read(
    _ bytes: [UInt8], zone: TimeZone
  ) throws(WorkoutFileError) -> [WorkoutRecording] {
    var reader = GPXReader(zone: zone)
    try XMLElements.read(bytes, root: "gpx") { element throws(WorkoutFileError) in
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
    case "trk":
      // A nested track would be two workouts at once.
      guard track == nil else { throw .broken }
      try countPart()
      track = Track()
    case "trkseg" where track != nil:
      try countPart()
      track?.isAtSegmentStart = true
      track?.place = nil
    case "trkpt" where track != nil:
      guard point == nil else { throw .broken }
      pointCount += 1
      guard pointCount <= XMLValues.maximumPoints else { throw .tooMuch }
      func value(_ key: String) -> Double? {
        attributes.first { $0.name == key }.flatMap { XMLValues.number($0.value) }
      }
      point = Point(place: Place(latitude: value("lat"), longitude: value("lon")))
    default: break
    }
  }

  private mutating func countPart() throws(WorkoutFileError) {
    partCount += 1
    guard partCount <= XMLValues.maximumParts else { throw .tooMuch }
  }

  private mutating func close(
    _ name: String, parent: String, _ text: String
  ) throws(WorkoutFileError) {
    switch name {
    case "trk": try finishTrack()
    case "trkpt": finishPoint()
    case "type" where parent == "trk":
      track?.builder.machine = XMLValues.machine(sport: text)
    case "time" where parent == "trkpt": point?.time = Timestamp.read(text, zone: zone)
    default: readPoint(name, text)
    }
  }

  /// Values of points are in extensions of several programs.
  private mutating func readPoint(_ name: String, _ text: String) {
    guard point != nil, let number = XMLValues.number(text) else { return }
    switch name {
    case "hr": point?.values.heartRate = number
    case "cad": point?.values.cadence = number
    case "power", "PowerInWatts": point?.values.power = number
    case "speed": point?.values.speed = number * 3.6
    default: break
    }
  }

  private mutating func finishPoint() {
    defer { point = nil }
    // A point without a time is ignored.
    guard let point, let time = point.time, track != nil else { return }
    var values = point.values
    values.time = time
    if let place = point.place {
      let step = track?.place.map { place.distance(to: $0) } ?? 0
      track?.distance += step
      track?.place = place
      values.distance = track?.distance
    }
    if track?.isAtSegmentStart == true, let last = track?.lastTime, last < time {
      let gap = Double(time.milliseconds - last.milliseconds) / 1000
      let before = track?.builder.paused ?? 0
      track?.builder.paused = before + gap
    }
    track?.lastTime = time
    track?.isAtSegmentStart = false
    track?.builder.points.append(values)
  }

  private mutating func finishTrack() throws(WorkoutFileError) {
    defer { track = nil }
    guard let track else { return }
    var builder = track.builder
    // Indoors the place never changes: nothing was measured.
    if track.distance == 0 {
      for index in builder.points.indices { builder.points[index].distance = nil }
    }
    if let recording = try builder.build(&budget) { found.append(recording) }
  }
}

/// A place on the earth.
private struct Place {
  /// The mean radius of the earth, in m.
  private static let radius = 6_371_008.8

  /// In radians.
  let latitude: Double
  let longitude: Double

  /// From degrees; nil outside of their range.
  init?(latitude: Double?, longitude: Double?) {
    guard let latitude, let longitude, abs(latitude) <= 90, abs(longitude) <= 180 else {
      return nil
    }
    self.latitude = latitude * .pi / 180
    self.longitude = longitude * .pi / 180
  }

  /// The distance along the great circle, in m (haversine formula).
  func distance(to other: Place) -> Double {
    let (up, across) = (
      sin((other.latitude - latitude) / 2), sin((other.longitude - longitude) / 2)
    )
    let half = up * up + cos(latitude) * cos(other.latitude) * across * across
    return 2 * Self.radius * asin(min(1, half.squareRoot()))
  }
}
