import Core
import Foundation
import Testing

@testable import App

extension TestClient {
  /// Adds a workout with the form; returns the path of its page.
  @discardableResult
  func addWorkout(_ changes: [String: String] = [:]) throws -> String {
    let answer = typeWorkout(changes)
    try #require(answer.status == 303, "\(answer.text)")
    return try #require(answer.location)
  }

  /// Sends the form with valid values except for these changes.
  func typeWorkout(_ changes: [String: String] = [:]) -> TestResponse {
    var fields = [
      "client_session_id": UUID().uuidString.lowercased(), "device_type": "bike",
      "day": "2026-03-01", "time": "18:30", "duration": "45:30",
      "distance": "21.5", "energy": "480", "avg_hr": "", "max_hr": "", "avg_power": "",
      "max_power": "", "avg_cadence": "", "max_cadence": "",
    ]
    fields.merge(changes) { _, new in new }
    return post("/workouts/add", all: fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
  }

  func importFiles(_ files: [[UInt8]]) -> TestResponse {
    upload("/workouts/import", [], files: files.map { ("file", $0) })
  }

  func importFiles(_ files: String...) -> TestResponse { importFiles(files.map { Array($0.utf8) }) }
}

/// Workout files as written by other programs.
enum SmallWorkout {
  /// A ride of three seconds' points in a lap of ten minutes, on 1 March 2026 at this hour.
  static func activity(hour: Int) -> String {
    let start = "2026-03-01T\(hour < 10 ? "0" : "")\(hour)"
    return """
      <Activity Sport="Biking"><Id>\(start):00:00Z</Id><Lap StartTime="\(start):00:00Z">
      <TotalTimeSeconds>600</TotalTimeSeconds><DistanceMeters>4200.5</DistanceMeters>
      <Calories>99</Calories><Intensity>Active</Intensity><TriggerMethod>Manual</TriggerMethod>
      <Track>
      <Trackpoint><Time>\(start):00:00Z</Time><HeartRateBpm><Value>101</Value></HeartRateBpm>
      </Trackpoint><Trackpoint><Time>\(start):00:02Z</Time><HeartRateBpm><Value>103</Value>
      </HeartRateBpm><Cadence>80</Cadence></Trackpoint>
      <Trackpoint><Time>\(start):10:00Z</Time></Trackpoint>
      </Track></Lap></Activity>
      """
  }

  static func tcx(hours: Int...) -> String {
    """
    <?xml version="1.0"?>
    <TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2">
    <Activities>\(hours.map { activity(hour: $0) }.joined())</Activities></TrainingCenterDatabase>
    """
  }

  /// Entities that would expand to gigabytes.
  static let bomb =
    "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY a \"ha\">"
    + (1...30).map { "<!ENTITY a\($0) \"&a\($0 == 1 ? "" : String($0 - 1));&a;\">" }.joined()
    + "]><TrainingCenterDatabase>&a30;</TrainingCenterDatabase>"
}
