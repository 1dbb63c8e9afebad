import Core

/// Writes Garmin's Training Center files: TrainingCenterDatabase v2 with ActivityExtension v2.
public enum TCXWriter {
  /// One workout as one activity with one lap. Numbers are rounded to the precision of the schema:
  /// whole watts, beats and revolutions, metres and m/s with six decimals.
  public static func bytes(_ recording: WorkoutRecording) -> [UInt8] {
    var text = head
    let start = Timestamp.text(recording.startedAt)
    text += "  <Activity Sport=\"\(recording.machine == .bike ? "Biking" : "Other")\">\n"
    text += "   <Id>\(start)</Id>\n   <Lap StartTime=\"\(start)\">\n"
    text += lap(recording)
    text += track(recording)
    text += extensions(recording.figures)
    text += "   </Lap>\n"
    if recording.machine == .rower { text += "   <Notes>\(TCXReader.rowerNote)</Notes>\n" }
    if let id = recording.id {
      text += "   <Extensions><WorkoutID xmlns=\"\(ownSpace)\">\(id)</WorkoutID></Extensions>\n"
    }
    text += "  </Activity>\n </Activities>\n</TrainingCenterDatabase>\n"
    return Array(text.utf8)
  }

  private static let head = """
    <?xml version="1.0" encoding="UTF-8"?>
    <TrainingCenterDatabase\
     xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2"\
     xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"\
     xsi:schemaLocation="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2\
     http://www.garmin.com/xmlschemas/TrainingCenterDatabasev2.xsd">
     <Activities>

    """

  private static func lap(_ recording: WorkoutRecording) -> String {
    let figures = recording.figures
    var text = "    <TotalTimeSeconds>\(decimal(recording.duration))</TotalTimeSeconds>\n"
    text += "    <DistanceMeters>\(decimal(recording.distance ?? 0))</DistanceMeters>\n"
    if let speed = figures.maximumSpeed {
      text += "    <MaximumSpeed>\(decimal(speed / 3.6))</MaximumSpeed>\n"
    }
    text += "    <Calories>\(whole(recording.energy ?? 0, 0...65_535))</Calories>\n"
    for (name, value) in [
      ("AverageHeartRateBpm", figures.averageHeartRate),
      ("MaximumHeartRateBpm", figures.maximumHeartRate),
    ] {
      guard let heart = value.flatMap(beats) else { continue }
      text += "    <\(name)><Value>\(heart)</Value></\(name)>\n"
    }
    text += "    <Intensity>Active</Intensity>\n"
    if let cadence = figures.averageCadence {
      text += "    <Cadence>\(whole(cadence, 0...254))</Cadence>\n"
    }
    return text + "    <TriggerMethod>Manual</TriggerMethod>\n"
  }

  private static func track(_ recording: WorkoutRecording) -> String {
    let samples = recording.samples
    let span = recording.endedAt.milliseconds - recording.startedAt.milliseconds
    var text = "    <Track>\n"
    for place in 0..<samples.count {
      let moment = Timestamp.text(
        Instant(milliseconds: recording.startedAt.milliseconds + Int64(place) * 1000))
      text += point(samples, place, moment)
    }
    // The end is stored only as the last point, which has no values.
    if span > Int64(samples.count - 1) * 1000 {
      text += "     <Trackpoint><Time>\(Timestamp.text(recording.endedAt))</Time></Trackpoint>\n"
    }
    return text + "    </Track>\n"
  }

  private static func point(
    _ samples: RecordedSamples, _ place: Int, _ moment: String
  ) -> String {
    func value(_ kind: RecordedSamples.Kind) -> Double? {
      samples[kind, place]
    }
    var text = "<Time>\(moment)</Time>"
    if let distance = value(.distance) {
      text += "<DistanceMeters>\(decimal(distance))</DistanceMeters>"
    }
    if let heart = value(.heartRate).flatMap(beats) {
      text += "<HeartRateBpm><Value>\(heart)</Value></HeartRateBpm>"
    }
    if let cadence = value(.cadence) {
      text += "<Cadence>\(whole(cadence, 0...254))</Cadence>"
    }
    var tpx = ""
    if let speed = value(.speed) { tpx += "<Speed>\(decimal(speed / 3.6))</Speed>" }
    if let power = value(.power) { tpx += "<Watts>\(whole(power, 0...65_535))</Watts>" }
    if !tpx.isEmpty {
      text += "<Extensions><TPX xmlns=\"\(extensionSpace)\">\(tpx)</TPX></Extensions>"
    }
    // A second without values needs no point.
    return text.hasSuffix("</Time>") ? "" : "     <Trackpoint>\(text)</Trackpoint>\n"
  }

  private static func extensions(_ figures: WorkoutFigures) -> String {
    var text = ""
    if let speed = figures.averageSpeed { text += "<AvgSpeed>\(decimal(speed / 3.6))</AvgSpeed>" }
    if let cadence = figures.maximumCadence {
      text += "<MaxBikeCadence>\(whole(cadence, 0...254))</MaxBikeCadence>"
    }
    if let power = figures.averagePower {
      text += "<AvgWatts>\(whole(power, 0...65_535))</AvgWatts>"
    }
    if let power = figures.maximumPower {
      text += "<MaxWatts>\(whole(power, 0...65_535))</MaxWatts>"
    }
    if text.isEmpty { return "" }
    return "    <Extensions><LX xmlns=\"\(extensionSpace)\">\(text)</LX></Extensions>\n"
  }

  private static let extensionSpace = "http://www.garmin.com/xmlschemas/ActivityExtension/v2"

  /// The namespace of values that no other schema has.
  private static let ownSpace = "urn:pairspot:workout:1.0"

  /// A heart rate in the range of the schema; nil for values that readers, including PairSpot's,
  /// treat as none.
  private static func beats(_ rate: Double) -> Int? {
    RecordingBuilder.heart(rate.rounded()).map { whole($0, 2...255) }
  }

  private static func whole(_ value: Double, _ range: ClosedRange<Int>) -> Int {
    let rounded = min(max(value.rounded(), Double(range.lowerBound)), Double(range.upperBound))
    return rounded.isFinite ? Int(rounded) : range.lowerBound
  }

  /// With up to six decimals, never in exponential notation.
  static func decimal(_ value: Double) -> String {
    guard value.isFinite, abs(value) < 1e12 else { return "0" }
    let millionths = Int64((abs(value) * 1_000_000).rounded())
    var fraction = String(millionths % 1_000_000)
    fraction = String(repeating: "0", count: 6 - fraction.count) + fraction
    while fraction.hasSuffix("0") { fraction.removeLast() }
    let sign = value < 0 && millionths > 0 ? "-" : ""
    return "\(sign)\(millionths / 1_000_000)\(fraction.isEmpty ? "" : ".\(fraction)")"
  }
}
