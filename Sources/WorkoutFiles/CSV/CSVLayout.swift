/// The layout of PairSpot's CSV files, as `CSVWriter` writes it and `CSVReader` reads it.
///
/// First lines of a name and a value, in any order; only `started_at` is required:
///
///     started_at,2026-03-02T08:00:00.000Z
///     duration_s,1800
///     device_type,bike
///
/// Then a line of column names and one line per second (or any other step); `second` counts from
/// the start:
///
///     second,power_w,heart_rate_bpm,cadence_rpm,speed_kmh,distance_m
///     0,120,93,80.5,27.4,0
///
/// Fields are separated by commas, semicolons or tabs; decimals may use a comma if it is not the
/// separator. Names may differ in spelling ("Power (W)", "watts", "Heart rate"): only ASCII
/// alphanumeric characters are compared. A column `time` contains moments or times
/// since the start instead of seconds; moments also define the start.
enum CSVLayout {
  /// The names of the lines in the head.
  enum Fact: String, CaseIterable {
    case id = "workout_id"
    case startedAt = "started_at"
    case endedAt = "ended_at"
    case duration = "duration_s"
    case paused = "paused_s"
    case machine = "device_type"
    case energy = "total_energy_kcal"
    case distance = "total_distance_m"
    case averageHeartRate = "avg_heart_rate_bpm"
    case maximumHeartRate = "max_heart_rate_bpm"
    case averagePower = "avg_power_w"
    case maximumPower = "max_power_w"
    case averageCadence = "avg_cadence_rpm"
    case maximumCadence = "max_cadence_rpm"
    case averageSpeed = "avg_speed_kmh"
    case maximumSpeed = "max_speed_kmh"

    init?(name: String) {
      let name = CSVLayout.plain(name)
      guard let found = Self.allCases.first(where: { CSVLayout.plain($0.rawValue) == name })
      else { return nil }
      self = found
    }
  }

  /// The quantity of a column, and the factor for its numbers.
  enum Column: Equatable {
    case time
    case value(RecordedSamples.Kind, factor: Double)

    init?(name: String) {
      switch CSVLayout.plain(name) {
      case "second", "seconds", "secs", "sec", "s", "time", "timestamp", "times", "elapsed",
        "elapsedtime":
        self = .time
      case "powerw", "power", "watts", "watt", "w", "powerwatts":
        self = .value(.power, factor: 1)
      case "heartratebpm", "heartrate", "hr", "bpm", "pulse", "hrbpm":
        self = .value(.heartRate, factor: 1)
      case "cadencerpm", "cadence", "rpm", "cad", "strokerate", "spm", "cadencespm":
        self = .value(.cadence, factor: 1)
      case "speedkmh", "speed", "kmh", "kph", "speedkph": self = .value(.speed, factor: 1)
      case "speedms", "speedmps", "ms": self = .value(.speed, factor: 3.6)
      case "distancem", "distance", "meters", "metres", "m", "distancemeters":
        self = .value(.distance, factor: 1)
      case "distancekm", "km": self = .value(.distance, factor: 1000)
      default: return nil
      }
    }
  }

  static let columns = "second,power_w,heart_rate_bpm,cadence_rpm,speed_kmh,distance_m"

  /// A name as it is compared: ASCII alphanumeric characters in lower case.
  static func plain(_ name: String) -> String {
    String(name.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) })
  }
}
