import Core

/// Writes workouts as CSV, in the layout of `CSVLayout`, with all data of a recording.
public enum CSVWriter {
  /// UTF-8 with the line breaks of RFC 4180. No field contains user input, so none can be read as a
  /// formula.
  public static func bytes(_ recording: WorkoutRecording) -> [UInt8] {
    let figures = recording.figures
    var text = ""
    func line(_ fact: CSVLayout.Fact, _ value: String?) {
      if let value { text += "\(fact.rawValue),\(value)\r\n" }
    }
    func line(_ fact: CSVLayout.Fact, _ value: Double?) {
      line(fact, value.map(TCXWriter.decimal))
    }
    line(.id, recording.id?.description)
    line(.startedAt, Timestamp.text(recording.startedAt))
    line(.endedAt, Timestamp.text(recording.endedAt))
    line(.duration, recording.duration)
    line(.paused, recording.paused)
    line(.machine, recording.machine.rawValue)
    line(.energy, recording.energy)
    line(.distance, recording.distance)
    line(.averageHeartRate, figures.averageHeartRate)
    line(.maximumHeartRate, figures.maximumHeartRate)
    line(.averagePower, figures.averagePower)
    line(.maximumPower, figures.maximumPower)
    line(.averageCadence, figures.averageCadence)
    line(.maximumCadence, figures.maximumCadence)
    line(.averageSpeed, figures.averageSpeed)
    line(.maximumSpeed, figures.maximumSpeed)
    let samples = recording.samples
    if !samples.isEmpty { text += "\r\n\(CSVLayout.columns)\r\n" }
    for place in 0..<samples.count {
      text += String(place)
      for kind in RecordedSamples.Kind.allCases {
        text += ","
        if let value = samples[kind, place] {
          text += TCXWriter.decimal(value)
        }
      }
      text += "\r\n"
    }
    return Array(text.utf8)
  }
}
