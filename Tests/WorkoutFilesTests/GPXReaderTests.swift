import Core
import Foundation
import Testing

@testable import WorkoutFiles

@Suite("GPX")
struct GPXReaderTests {
  private func file(_ content: String) -> [UInt8] {
    Array(
      """
      <?xml version="1.0"?><!-- <TrainingCenterDatabase> -->
      <gpx version="1.1" xmlns:x="y"><metadata><time>2020-01-01T00:00:00Z</time></metadata>\
      \(content)</gpx>
      """.utf8)
  }

  /// A point `thousandths` of a degree north of the equator, some seconds after the start.
  private func point(_ thousandths: Int, at seconds: Int, _ values: String = "") -> String {
    let time = Timestamp.text(GeneratedWorkout.start.adding(seconds: Int64(seconds)))
    return """
      <trkpt lat="\(Double(thousandths) / 1000)" lon="11.5"><ele>500</ele><time>\(time)</time>\
      <extensions>\(values)</extensions></trkpt>
      """
  }

  private func track(_ segments: String..., type: String = "cycling") -> String {
    "<trk><name>Ride</name><type>\(type)</type>"
      + segments.map { "<trkseg>\($0)</trkseg>" }.joined() + "</trk>"
  }

  private func error(_ content: String) -> WorkoutFileError? {
    do throws(WorkoutFileError) {
      _ = try WorkoutFile.read(file(content))
      return nil
    } catch {
      return error
    }
  }

  @Test("A track is a workout; its distance is its way, and the time between segments a pause")
  func segments() throws {
    let bytes = file(
      track(point(0, at: 0) + point(1, at: 10), point(50, at: 70) + point(51, at: 80)))
    #expect(WorkoutFile.format(of: bytes) == .gpx)
    let read = try #require(try WorkoutFile.read(bytes).first)
    #expect(read.startedAt == GeneratedWorkout.start && read.machine == .bike)
    #expect(read.duration == 20 && read.paused == 60)
    // A thousandth of a degree is 111.195 m.
    let distance = try #require(read.distance)
    #expect(abs(distance - 222.39) < 0.01)
    let speed = try #require(read.figures.averageSpeed)
    #expect(abs(speed - 40.03) < 0.01)
  }

  @Test("Heart rate, cadence, power and speed are read from extensions, with any prefixes")
  func values() throws {
    let first = """
      <power>100</power><x:TrackPointExtension><x:hr>90</x:hr><x:cad>20</x:cad>\
      <x:speed>2.5</x:speed></x:TrackPointExtension>
      """
    let read = try #require(
      try WorkoutFile.read(
        file(
          track(
            point(0, at: 0, first) + point(0, at: 1, "<x:PowerInWatts>200</x:PowerInWatts>"),
            type: "indoor_rowing"))
      ).first)
    #expect(read.machine == .rower)
    #expect(read.samples[.power] == [100, 200] && read.samples[.heartRate] == [90, nil])
    #expect(read.samples[.cadence] == [20, nil] && read.samples[.speed] == [9, nil])
    // Indoors the place never changes.
    #expect(read.distance == nil && read.samples[.distance] == [])
  }

  @Test("Several tracks are several workouts; routes and points without a time or place are none")
  func several() throws {
    let one = track(point(0, at: 0) + point(1, at: 9))
    #expect(try WorkoutFile.read(file(one + one)).count == 2)
    #expect(error("<rte><rtept lat=\"1\" lon=\"2\"/></rte><wpt lat=\"1\"/>") == .noWorkout)
    #expect(error(track("<trkpt lat=\"1\" lon=\"2\"/>")) == .noWorkout)
    let nowhere = point(0, at: 5).replacing("lat=\"0.0\"", with: "lat=\"91\"")
    let read = try WorkoutFile.read(file(track(point(0, at: 0) + nowhere + point(1, at: 9))))
    let distance = try #require(read.first?.distance)
    #expect(abs(distance - 111.195) < 0.01)
  }

  @Test("Too many points or segments, and tracks within each other are refused")
  func limits() {
    #expect(error("<trk>" + String(repeating: "<trkseg/>", count: 5000) + "</trk>") == .tooMuch)
    let points = String(repeating: "<trkpt/>", count: 200_001)
    #expect(error("<trk><trkseg>\(points)</trkseg></trk>") == .tooMuch)
    #expect(error("<trk><trk></trk></trk>") == .broken)
    #expect(error(track(point(0, at: 0) + point(1, at: 90_000))) == .tooLong)
  }
}
