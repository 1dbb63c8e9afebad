/// The fields read from FIT files: a few fields of a few messages, by their numbers in Garmin's
/// profile. Everything else is skipped by its length.
enum FITProfile {
  /// The quantity of a field, independent of the message.
  enum Quantity: UInt8 {
    /// The file type in `file_id`.
    case fileType
    case timestamp, startTime
    case sport, subSport
    /// In s.
    case elapsed, timer
    /// In m.
    case distance
    /// In kcal.
    case calories
    /// In m/s; the second of each kind has a larger range and takes precedence.
    case speed, enhancedSpeed
    case averageSpeed, enhancedAverageSpeed
    case maximumSpeed, enhancedMaximumSpeed
    case heartRate, averageHeartRate, maximumHeartRate
    case cadence, averageCadence, maximumCadence
    /// To be added to the cadence of the same name.
    case fractionalCadence, fractionalAverageCadence, fractionalMaximumCadence
    case power, averagePower, maximumPower
    case event, eventType
  }

  struct Field {
    let quantity: Quantity
    /// The divisor of the stored number.
    let scale: Double

    init(_ quantity: Quantity, _ scale: Double = 1) {
      self.quantity = quantity
      self.scale = scale
    }
  }

  enum Message: UInt16 {
    case fileID = 0
    case session = 18
    case lap = 19
    case record = 20
    case event = 21
    case deviceInfo = 23
  }

  static let timestampField: UInt8 = 253

  static func fields(of message: Message) -> [UInt8: Field] {
    switch message {
    case .fileID: fileID
    case .session: session
    case .lap: lap
    case .record: record
    case .event: event
    // Sensor information: known but not needed.
    case .deviceInfo: [:]
    }
  }

  private static let fileID: [UInt8: Field] = [0: Field(.fileType)]

  private static let session: [UInt8: Field] = [
    253: Field(.timestamp), 2: Field(.startTime), 5: Field(.sport), 6: Field(.subSport),
    7: Field(.elapsed, 1000), 8: Field(.timer, 1000), 9: Field(.distance, 100),
    11: Field(.calories), 14: Field(.averageSpeed, 1000), 15: Field(.maximumSpeed, 1000),
    16: Field(.averageHeartRate), 17: Field(.maximumHeartRate), 18: Field(.averageCadence),
    19: Field(.maximumCadence), 20: Field(.averagePower), 21: Field(.maximumPower),
    92: Field(.fractionalAverageCadence, 128), 93: Field(.fractionalMaximumCadence, 128),
    124: Field(.enhancedAverageSpeed, 1000), 125: Field(.enhancedMaximumSpeed, 1000),
  ]

  private static let lap: [UInt8: Field] = [
    253: Field(.timestamp), 2: Field(.startTime), 7: Field(.elapsed, 1000),
    8: Field(.timer, 1000), 9: Field(.distance, 100), 11: Field(.calories),
    13: Field(.averageSpeed, 1000), 14: Field(.maximumSpeed, 1000),
    15: Field(.averageHeartRate), 16: Field(.maximumHeartRate), 17: Field(.averageCadence),
    18: Field(.maximumCadence), 19: Field(.averagePower), 20: Field(.maximumPower),
    25: Field(.sport), 39: Field(.subSport), 80: Field(.fractionalAverageCadence, 128),
    81: Field(.fractionalMaximumCadence, 128), 110: Field(.enhancedAverageSpeed, 1000),
    111: Field(.enhancedMaximumSpeed, 1000),
  ]

  private static let record: [UInt8: Field] = [
    253: Field(.timestamp), 3: Field(.heartRate), 4: Field(.cadence), 5: Field(.distance, 100),
    6: Field(.speed, 1000), 7: Field(.power), 53: Field(.fractionalCadence, 128),
    73: Field(.enhancedSpeed, 1000),
  ]

  private static let event: [UInt8: Field] = [
    253: Field(.timestamp), 0: Field(.event), 1: Field(.eventType),
  ]

  /// The machine for `sport` and `sub_sport`.
  static func machine(sport: Double?, subSport: Double?) -> Machine {
    switch (sport, subSport) {
    // Cycling, e-biking; spin, indoor cycling.
    case (2, _), (21, _), (_, 5), (_, 6): .bike
    // Rowing; indoor rowing.
    case (15, _), (_, 14): .rower
    default: .other
    }
  }
}
