import Core
import Foundation

/// Reads a workout from CSV: PairSpot's own layout (`CSVLayout`), and tables of seconds from other
/// programs.
struct CSVReader {
  /// In rows.
  private static let maximumHeadRows = 200
  /// The maximum length of a time, in bytes.
  private static let maximumTimeLength = 64

  private let text: CSVText
  private let zone: TimeZone
  private var builder = RecordingBuilder()
  private var lap = RecordingBuilder.Lap()
  private var id: ID<WorkoutRecording>?

  /// Throws `WorkoutFileError`.
  static func read(_ bytes: [UInt8], zone: TimeZone) throws(WorkoutFileError) -> WorkoutRecording {
    var reader = CSVReader(text: try CSVText(bytes), zone: zone)
    return try reader.read()
  }

  private init(text: CSVText, zone: TimeZone) {
    self.text = text
    self.zone = zone
  }

  private mutating func read() throws(WorkoutFileError) -> WorkoutRecording {
    // A table begins after a short head, or not at all.
    let head =
      text.rows.prefix(Self.maximumHeadRows).firstIndex { Self.columns($0) != nil }
      ?? text.rows.count
    var known = 0
    for row in text.rows[..<head] where row.count >= 2 && !row[1].isEmpty {
      guard let fact = CSVLayout.Fact(name: row[0]) else { continue }
      known += 1
      try take(fact, row[1])
    }
    guard known > 0 || head < text.rows.count else { throw .unknownFormat }
    if head < text.rows.count {
      try readTable(Self.columns(text.rows[head]) ?? [], text.rows[(head + 1)...])
    }
    guard builder.startedAt != nil else { throw .noStart }
    builder.laps = [lap]
    var budget = RecordingBuilder.Budget()
    guard var recording = try builder.build(&budget) else { throw .noWorkout }
    recording.id = id
    return recording
  }

  // MARK: Head

  private mutating func take(_ fact: CSVLayout.Fact, _ field: String) throws(WorkoutFileError) {
    switch fact {
    case .id: id = ID(field)
    case .startedAt: builder.startedAt = try moment(field)
    case .endedAt: builder.endedAt = try moment(field)
    case .machine: builder.machine = Machine(rawValue: field.lowercased()) ?? .other
    case .duration: lap.duration = try number(field)
    case .paused: builder.paused = try number(field)
    case .energy: lap.energy = try number(field)
    case .distance: lap.distance = try number(field)
    case .averageHeartRate: lap.figures.averageHeartRate = try number(field)
    case .maximumHeartRate: lap.figures.maximumHeartRate = try number(field)
    case .averagePower: lap.figures.averagePower = try number(field)
    case .maximumPower: lap.figures.maximumPower = try number(field)
    case .averageCadence: lap.figures.averageCadence = try number(field)
    case .maximumCadence: lap.figures.maximumCadence = try number(field)
    case .averageSpeed: lap.figures.averageSpeed = try number(field)
    case .maximumSpeed: lap.figures.maximumSpeed = try number(field)
    }
  }

  private func number(_ field: String) throws(WorkoutFileError) -> Double {
    guard let number = text.number(field) else { throw .broken }
    return number
  }

  private func moment(_ field: String) throws(WorkoutFileError) -> Instant {
    guard let moment = Timestamp.read(field, zone: zone) else { throw .broken }
    return moment
  }

  // MARK: Table

  /// The columns, if this row names a time and a measured quantity.
  private static func columns(_ row: [String]) -> [CSVLayout.Column?]? {
    let columns = row.map(CSVLayout.Column.init(name:))
    let measured = columns.filter { $0 != nil && $0 != .time }
    return columns.contains(.time) && !measured.isEmpty ? columns : nil
  }

  private mutating func readTable(
    _ columns: [CSVLayout.Column?], _ rows: ArraySlice<[String]>
  ) throws(WorkoutFileError) {
    guard let timePlace = columns.firstIndex(of: .time) else { return }
    for row in rows where timePlace < row.count && !row[timePlace].isEmpty {
      let time = try self.time(row[timePlace])
      var point = RecordingBuilder.Point(time: time)
      for case (.value(let kind, let factor)?, let field) in zip(columns, row)
      where !field.isEmpty && field != "-" {
        let value = try number(field) * factor
        switch kind {
        case .power: point.power = value
        case .heartRate: point.heartRate = value
        case .cadence: point.cadence = value
        case .speed: point.speed = value
        case .distance: point.distance = value
        }
      }
      builder.points.append(point)
    }
  }

  /// A moment, or a time since the start: seconds, "12:30" or "1:12:30".
  private mutating func time(_ field: String) throws(WorkoutFileError) -> Instant {
    if let moment = Timestamp.read(field, zone: zone) {
      if builder.startedAt == nil { builder.startedAt = moment }
      return moment
    }
    guard let start = builder.startedAt else { throw .noStart }
    guard field.utf8.count <= Self.maximumTimeLength else { throw .broken }
    var seconds = 0.0
    let parts = field.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count <= 3 else { throw .broken }
    for part in parts {
      let number = try number(String(part))
      guard 0...1e7 ~= number else { throw .broken }
      seconds = seconds * 60 + number
    }
    return start.adding(milliseconds: seconds * 1000)
  }
}
