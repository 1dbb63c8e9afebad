import Core
import Foundation
import Testing

@testable import WorkoutFiles

@Suite("A written file is read back")
struct RoundTripTests {
  @Test("From TCX: everything that the schema can hold, three hundred times")
  func tcx() throws {
    var made = GeneratedWorkout(1)
    for _ in 0..<300 {
      let recording = made.recording()
      #expect(try WorkoutFile.read(TCXWriter.bytes(recording)) == [recording])
    }
  }

  @Test("From CSV: everything, three hundred times")
  func csv() throws {
    var made = GeneratedWorkout(2)
    for _ in 0..<300 {
      var recording = made.recording()
      recording.figures.averageCadence = 80.125
      recording.energy = 312.5
      let bytes = CSVWriter.bytes(recording)
      #expect(WorkoutFile.format(of: bytes) == .csv)
      #expect(try WorkoutFile.read(bytes) == [recording])
    }
  }

  @Test("A workout without samples and figures comes back from both")
  func bare() throws {
    let recording = WorkoutRecording(
      startedAt: GeneratedWorkout.start, endedAt: GeneratedWorkout.start.adding(seconds: 60),
      duration: 60, energy: 0,
      distance: 0, machine: .rower)
    #expect(try WorkoutFile.read(TCXWriter.bytes(recording)) == [recording])
    #expect(try WorkoutFile.read(CSVWriter.bytes(recording)) == [recording])
  }

  @Test(
    "Values outside of the schema's limits are clamped",
    arguments: [-5.0, 70_000, 1e300, .infinity])
  func clamped(power: Double) throws {
    var recording = WorkoutRecording(
      startedAt: GeneratedWorkout.start, endedAt: GeneratedWorkout.start.adding(seconds: 60),
      duration: 60)
    recording.figures.maximumPower = power
    recording.figures.averageHeartRate = abs(power)
    let read = try #require(try WorkoutFile.read(TCXWriter.bytes(recording)).first)
    #expect(0...65_535 ~= (read.figures.maximumPower ?? -1))
    #expect(2...255 ~= (read.figures.averageHeartRate ?? -1))
  }

  @Test(
    "A heart that doesn't beat is none: 1 says so too, and isn't written", arguments: [-5, 0, 1])
  func noHeart(rate: Double) throws {
    var recording = WorkoutRecording(
      startedAt: GeneratedWorkout.start, endedAt: GeneratedWorkout.start.adding(seconds: 60),
      duration: 60)
    recording.figures.averageHeartRate = rate
    recording.samples = RecordedSamples([.heartRate: [rate, 90]])
    let file = TCXWriter.bytes(recording)
    #expect(!String(decoding: file, as: UTF8.self).contains("AverageHeartRateBpm"))
    let read = try #require(try WorkoutFile.read(file).first)
    #expect(read.samples[.heartRate] == [nil, 90])
  }

  @Test(
    "Decimals are never written in powers of ten",
    arguments: [
      (0.0, "0"), (1.5, "1.5"), (0.000001, "0.000001"), (0.0000001, "0"), (-0.25, "-0.25"),
      (123_456_789.125, "123456789.125"), (.nan, "0"), (1e300, "0"), (-0.0000001, "0"),
    ])
  func decimals(value: Double, text: String) {
    #expect(TCXWriter.decimal(value) == text)
  }
}

@Suite("Samples have one form")
struct RecordedSamplesTests {
  @Test("Equal contents are equal: ends without values are cut, empty kinds are empty")
  func canonical() {
    let samples = RecordedSamples([
      .power: [1, nil, 3.00049, nil, nil], .heartRate: [nil, nil], .cadence: [80],
    ])
    #expect(samples.count == 3)
    #expect(samples[.power] == [1, nil, 3])
    #expect(samples[.heartRate] == [])
    #expect(samples[.cadence] == [80, nil, nil])
    #expect(samples == RecordedSamples([.power: [1, nil, 3], .cadence: [80, nil]]))
    #expect(RecordedSamples([.power: [nil, .nan, .infinity]]) == RecordedSamples())
  }

  @Test("Mean and maximum leave out missing values")
  func figures() {
    let samples = RecordedSamples([.power: [100, nil, 200, 0]])
    #expect(samples.figures(.power)?.mean == 100)
    #expect(samples.figures(.power)?.largest == 200)
    #expect(samples.figures(.speed) == nil)
  }
}

@Suite("Moments in files")
struct TimestampTests {
  @Test(
    "Are read with and without fraction and zone",
    arguments: [
      ("2026-03-02T00:00:00Z", 0), ("2026-03-02T00:00:00.25Z", 250),
      ("2026-03-02 08:00:00.1239+08:00", 123), ("2026-03-01T19:00:00-0500", 0),
      ("2026-03-02T08:00:00", 0), ("2026-03-02T08:00", 0), ("2026-03-02T00:00:00,5Z", 500),
    ])
  func read(text: String, milliseconds: Int64) throws {
    let zone = try #require(TimeZone(identifier: "Asia/Taipei"))
    let expected = Instant(milliseconds: 1_772_409_600_000 + milliseconds)
    #expect(Timestamp.read(text, zone: zone) == expected)
    #expect(Timestamp.read(Timestamp.text(expected), zone: zone) == expected)
  }

  @Test(
    "Anything else is none",
    arguments: [
      "", "2026", "2026-13-02T00:00:00Z", "2026-02-30T00:00:00Z", "2026-03-02T24:00:00Z",
      "2026-03-02T00:00:61Z", "2026-03-02T00:00:00.Z", "2026-03-02T00:00:00+24:00",
      "2026-03-02T00:00:00Zx", "2026-03-02T00:00:00.1234567890Z", "٢٠٢٦-03-02T00:00:00Z",
    ])
  func refused(text: String) {
    #expect(Timestamp.read(text, zone: .gmt) == nil)
  }
}
