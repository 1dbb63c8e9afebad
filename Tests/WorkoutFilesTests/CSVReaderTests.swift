import Core
import Foundation
import Testing

@testable import WorkoutFiles

@Suite("CSV")
struct CSVReaderTests {
  private func read(_ text: String) throws -> WorkoutRecording {
    try #require(try WorkoutFile.read(Array(text.utf8)).first)
  }

  private func error(_ bytes: [UInt8]) -> WorkoutFileError? {
    do throws(WorkoutFileError) {
      _ = try WorkoutFile.read(bytes)
      return nil
    } catch {
      return error
    }
  }

  private static let expected: WorkoutRecording = {
    var recording = WorkoutRecording(
      startedAt: GeneratedWorkout.start, endedAt: GeneratedWorkout.start.adding(seconds: 2),
      duration: 2,
      energy: 1.5, distance: 12.5, machine: .bike,
      samples: RecordedSamples([.power: [100, nil, 150.5], .distance: [0, 6, 12.5]]))
    recording.figures.averagePower = 125.25
    recording.figures.maximumPower = 150.5
    recording.figures.averageSpeed = 22.5
    return recording
  }()

  @Test(
    "Commas, semicolons and tabs divide; decimals may have a comma",
    arguments: [(",", "."), (";", ","), (";", "."), ("\t", ","), ("\t", ".")])
  func separators(separator: String, point: String) throws {
    let lines = [
      ["Started at", "2026-03-02T00:00:00Z"], ["device_type", "bike"],
      ["Total energy (kcal)", "1!5"], ["Note", "kept out"],
      ["Second", "Power (W)", "Comment", "distance_m"], ["0", "100", "x", "0"],
      ["1", "", "", "6!0"], ["2", "150!5", "", "12!5"],
    ]
    let text = lines.map { $0.joined(separator: separator).replacing("!", with: point) }
    for end in ["\n", "\r\n", "\r"] {
      #expect(try read(text.joined(separator: end)) == Self.expected)
    }
    #expect(try read("\u{FEFF}" + text.joined(separator: "\n") + "\n\n") == Self.expected)
  }

  @Test("UTF-16, as spreadsheets save it, and quotes")
  func wide() throws {
    let text = """
      \"started_at\"\t2026-03-02T00:00:00Z\n\"device_type\"\tbike\ntotal_energy_kcal\t1.5
      second\tpower_w\t\"a \"\"quoted\"\"\ncomment\"\tdistance_m\n0\t100\t\t0\n1\t\t\t6\n2\t150.5\t\t12.5
      """
    let little: [UInt8] = [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    let big: [UInt8] = [0xFE, 0xFF] + text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    #expect(try WorkoutFile.read(little) == [Self.expected])
    #expect(try WorkoutFile.read(big) == [Self.expected])
  }

  @Test("A table alone is enough when its times are moments")
  func moments() throws {
    let read = try read(
      "Time,Watts,HR,Speed (m/s)\n2026-03-02 00:00:10,100,90,2\n2026-03-02 00:00:12,200,,3\n")
    #expect(read.startedAt == GeneratedWorkout.start.adding(seconds: 10) && read.duration == 2)
    #expect(read.samples[.speed] == [7.2, nil, 10.8])
    #expect(read.samples[.heartRate] == [90, nil, nil])
  }

  @Test("Times since the start may be written as on a clock")
  func clock() throws {
    let read = try read(
      "started_at,2026-03-02T00:00:00Z\ntime,power\n0:00,1\n0:03,2\n1:00:00,3\n")
    #expect(read.samples.count == 3601 && read.samples[.power][3] == 2)
  }

  @Test("A file without a start time, or without content, is refused")
  func refused() {
    #expect(error(Array("second,power_w\n0,100\n1,100\n".utf8)) == .noStart)
    #expect(error(Array("duration_s,100\n".utf8)) == .noStart)
    #expect(error(Array("name,age\nAnn,30\n".utf8)) == .unknownFormat)
    #expect(error(Array("started_at,2026-03-02T00:00:00Z\n".utf8)) == .noWorkout)
    #expect(error([]) == .unknownFormat)
    #expect(error(Array("\u{FEFF}  \n".utf8)) == .unknownFormat)
    for line in ["0,abc", "-1,5", "1:2:3:4,5", "x,5", "0,1e999"] {
      let text = "started_at,2026-03-02T00:00:00Z\nsecond,power_w\n\(line)\n"
      #expect(error(Array(text.utf8)) == .broken, "\(line)")
    }
    #expect(error(Array("started_at,yesterday\nduration_s,5\n".utf8)) == .broken)
    #expect(error(Array("started_at,\"2026".utf8)) == .broken)
    #expect(error([0x89, 0x50, 0x4E, 0x47, 0, 1]) == .unknownFormat)
  }

  @Test("Too many lines, fields and seconds are refused")
  func tooMuch() {
    let head = "started_at,2026-03-02T00:00:00Z\nsecond,power_w\n"
    let lines = String(repeating: "1,2\n", count: 100_000)
    #expect(error(Array((head + lines).utf8)) == .tooMuch)
    #expect(error(Array(String(repeating: ",", count: 1 << 20).utf8)) == .tooMuch)
    #expect(error(Array((head + "0,1\n90000,2\n").utf8)) == .tooLong)
    #expect(error(Array((head + "0,1\n9999999,2\n").utf8)) == .tooLong)
  }

  @Test("A good file with any one byte changed is read or refused, never a crash")
  func changed() {
    var made = GeneratedWorkout(6)
    var recording = made.recording()
    recording.samples = RecordedSamples([.power: [1, 2, 3], .speed: [3, 4, 5]])
    let good = CSVWriter.bytes(recording)
    for place in good.indices {
      var bytes = good
      bytes[place] = UInt8.random(in: 0...255, using: &made)
      _ = error(bytes)
      _ = error(Array(good.prefix(place)))
    }
  }
}
