import Core
import Foundation
import WorkoutFiles

// The module's whole interface as a program, for test programs not written in Swift. Prints one
// line of JSON.

struct Answer: Encodable {
  struct Workout: Encodable {
    let startedAt: Int64
    let endedAt: Int64
    let duration: Double
    let paused: Double?
    let energy: Double?
    let distance: Double?
    let machine: String
    let figures: [String: Double]
    let samples: [String: [Double?]]

    init(_ recording: WorkoutRecording) {
      startedAt = recording.startedAt.milliseconds
      endedAt = recording.endedAt.milliseconds
      duration = recording.duration
      paused = recording.paused
      energy = recording.energy
      distance = recording.distance
      machine = recording.machine.rawValue
      let figures = recording.figures
      let known: [String: Double?] = [
        "averageHeartRate": figures.averageHeartRate,
        "maximumHeartRate": figures.maximumHeartRate, "averagePower": figures.averagePower,
        "maximumPower": figures.maximumPower, "averageCadence": figures.averageCadence,
        "maximumCadence": figures.maximumCadence, "averageSpeed": figures.averageSpeed,
        "maximumSpeed": figures.maximumSpeed,
      ]
      self.figures = known.compactMapValues { $0 }
      samples = [
        "power": recording.samples[.power], "heartRate": recording.samples[.heartRate],
        "cadence": recording.samples[.cadence], "speed": recording.samples[.speed],
        "distance": recording.samples[.distance],
      ]
    }
  }

  var error: String?
  var workouts: [Workout] = []

  func say() -> Never {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    if let line = try? encoder.encode(self) { puts(String(decoding: line, as: UTF8.self)) }
    exit(error == nil ? 0 : 1)
  }
}

let arguments = Array(CommandLine.arguments.dropFirst())
var answer = Answer()
guard let source = arguments.dropFirst().first,
  let bytes = FileManager.default.contents(atPath: source).map(Array.init)
else {
  puts("usage: read FILE, tcx|csv FROM TO")
  exit(2)
}
do throws(WorkoutFileError) {
  let found = try WorkoutFile.read(bytes)
  answer.workouts = found.map(Answer.Workout.init)
  if arguments.count == 3, let first = found.first {
    let written = arguments[0] == "tcx" ? TCXWriter.bytes(first) : CSVWriter.bytes(first)
    guard FileManager.default.createFile(atPath: arguments[2], contents: Data(written)) else {
      puts("can't write \(arguments[2])")
      exit(2)
    }
  }
} catch {
  answer.error = error.code
}
answer.say()
