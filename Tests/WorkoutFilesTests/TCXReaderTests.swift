import Core
import Foundation
import Testing

@testable import WorkoutFiles

@Suite("TCX")
struct TCXReaderTests {
  private func file(_ activities: String) -> [UInt8] {
    Array(
      """
      <?xml version="1.0"?><TrainingCenterDatabase><Activities>\(activities)</Activities>
      </TrainingCenterDatabase>
      """.utf8)
  }

  private func one(_ activity: String) throws -> WorkoutRecording {
    try #require(try WorkoutFile.read(file(activity)).first)
  }

  @Test("Laps are added up, means weighted by their time, a pause between them found")
  func laps() throws {
    let read = try one(
      """
      <Activity Sport="Biking"><Id>2026-03-02T00:00:00Z</Id>
      <Lap StartTime="2026-03-02T00:00:00Z"><TotalTimeSeconds>100</TotalTimeSeconds>
      <DistanceMeters>900</DistanceMeters><Calories>10</Calories>
      <AverageHeartRateBpm><Value>100</Value></AverageHeartRateBpm>
      <MaximumHeartRateBpm><Value>120</Value></MaximumHeartRateBpm>
      <Extensions><x:LX xmlns:x="y"><x:AvgWatts>150</x:AvgWatts></x:LX></Extensions></Lap>
      <Lap StartTime="2026-03-02T00:02:00Z"><TotalTimeSeconds>300</TotalTimeSeconds>
      <DistanceMeters>2100.5</DistanceMeters><Calories>35</Calories>
      <AverageHeartRateBpm><Value>140</Value></AverageHeartRateBpm>
      <MaximumHeartRateBpm><Value>160</Value></MaximumHeartRateBpm>
      <Track><Trackpoint><Time>2026-03-02T00:07:00Z</Time></Trackpoint></Track></Lap>
      </Activity>
      """)
    #expect(read.machine == .bike)
    #expect(read.duration == 400 && read.paused == 20)
    #expect(read.distance == 3000.5 && read.energy == 45)
    #expect(read.figures.averageHeartRate == 130 && read.figures.maximumHeartRate == 160)
    // Only one lap has it, which would be wrong for the whole.
    #expect(read.figures.averagePower == nil)
    #expect(read.endedAt == GeneratedWorkout.start.adding(seconds: 420))
    #expect(read.samples.isEmpty)
  }

  @Test("Values that the laps lack are computed from the points, with any prefixes")
  func points() throws {
    let read = try one(
      """
      <Activity Sport="Rowing"><Lap StartTime="2026-03-02T00:00:00.000Z"><Track>
      <Trackpoint><Time>2026-03-02T00:00:00Z</Time><DistanceMeters>5</DistanceMeters>
      <HeartRateBpm><Value>90</Value></HeartRateBpm><Cadence>20</Cadence>
      <Extensions><ns3:TPX xmlns:ns3="a"><ns3:Speed>2.5</ns3:Speed><ns3:Watts>100</ns3:Watts>
      </ns3:TPX></Extensions></Trackpoint>
      <Trackpoint><Time>2026-03-02T00:00:02Z</Time><DistanceMeters>15</DistanceMeters>
      <HeartRateBpm><Value>0</Value></HeartRateBpm>
      <Extensions><ns3:TPX><ns3:Watts>200</ns3:Watts></ns3:TPX></Extensions></Trackpoint>
      <Trackpoint><DistanceMeters>99</DistanceMeters></Trackpoint>
      </Track></Lap></Activity>
      """)
    #expect(read.machine == .rower)
    #expect(read.duration == 2 && read.paused == nil && read.distance == 10)
    #expect(read.samples[.power] == [100, nil, 200])
    #expect(read.samples[.heartRate] == [90, nil, nil])
    #expect(read.samples[.speed] == [9, nil, nil])
    #expect(read.figures.averagePower == 150 && read.figures.maximumPower == 200)
  }

  @Test("Placeholders of programs are replaced by measured values")
  func unknown() throws {
    let read = try one(
      """
      <Activity Sport="Biking"><Lap StartTime="2026-03-02T00:00:00Z">
      <TotalTimeSeconds>2</TotalTimeSeconds><DistanceMeters>0</DistanceMeters>
      <MaximumSpeed>0</MaximumSpeed><Calories>0</Calories>
      <AverageHeartRateBpm><Value>1</Value></AverageHeartRateBpm><Track>
      <Trackpoint><Time>2026-03-02T00:00:00Z</Time><DistanceMeters>5</DistanceMeters>
      <HeartRateBpm><Value>1</Value></HeartRateBpm>
      <Extensions><TPX><Speed>2.5</Speed></TPX></Extensions></Trackpoint>
      <Trackpoint><Time>2026-03-02T00:00:02Z</Time><DistanceMeters>15</DistanceMeters>
      </Trackpoint></Track></Lap></Activity>
      """)
    #expect(read.distance == 10 && read.energy == 0)
    #expect(read.figures.maximumSpeed == 9)
    #expect(read.figures.averageHeartRate == nil && read.samples[.heartRate] == [])
  }

  @Test("Several activities are several workouts; courses and plans are none")
  func several() throws {
    let activity = """
      <Activity Sport="Other"><Lap StartTime="2026-03-02T00:00:00Z">\
      <TotalTimeSeconds>9</TotalTimeSeconds></Lap></Activity>
      """
    #expect(try WorkoutFile.read(file(activity + activity)).count == 2)
    let course =
      "<Courses><Course><Lap><TotalTimeSeconds>9</TotalTimeSeconds></Lap></Course></Courses>"
    #expect(throws: WorkoutFileError.noWorkout) { try WorkoutFile.read(file(course)) }
  }

  @Test("References and CDATA are read, comments and instructions passed over")
  func references() throws {
    let read = try one(
      """
      <Activity Sport="Bi&#107;ing"><!-- <Lap> --><?x <Lap> ?><Id><![CDATA[2026-03-02T00:00:00Z]]></Id>
      <Lap><TotalTimeSeconds>&#x39;</TotalTimeSeconds></Lap></Activity>
      """)
    #expect(read.machine == .bike && read.duration == 9)
  }

  @Test("More than a day of points, and years between them, are refused")
  func tooLong() {
    for end in ["2026-03-03T00:00:02Z", "2036-03-03T00:00:00Z", "9999-12-31T00:00:00Z"] {
      let activity = """
        <Activity><Lap StartTime="2026-03-02T00:00:00Z"><Track>
        <Trackpoint><Time>2026-03-02T00:00:00Z</Time><Cadence>1</Cadence></Trackpoint>
        <Trackpoint><Time>\(end)</Time><Cadence>1</Cadence></Trackpoint></Track></Lap></Activity>
        """
      #expect(throws: WorkoutFileError.tooLong) { try WorkoutFile.read(file(activity)) }
    }
  }

  @Test("Many short files of much memory are refused: a thousand days of two points each")
  func muchMemory() {
    let activity = """
      <Activity><Lap StartTime="2026-03-02T00:00:00Z"><Track>
      <Trackpoint><Time>2026-03-02T00:00:00Z</Time><Cadence>1</Cadence></Trackpoint>
      <Trackpoint><Time>2026-03-02T23:59:59Z</Time><Cadence>1</Cadence></Trackpoint>
      </Track></Lap></Activity>
      """
    let bytes = file(String(repeating: activity, count: 1000))
    #expect(throws: WorkoutFileError.tooMuch) { try WorkoutFile.read(bytes) }
  }
}

@Suite("Hostile XML")
struct HostileXMLTests {
  private func error(_ text: String) -> WorkoutFileError? {
    error(Array(text.utf8))
  }

  private func error(_ bytes: [UInt8]) -> WorkoutFileError? {
    do throws(WorkoutFileError) {
      _ = try WorkoutFile.read(bytes)
      return nil
    } catch {
      return error
    }
  }

  @Test("A billion laughs, outer entities and any document type are an error")
  func documentTypes() {
    let laughs = (1...9).map { level in
      "<!ENTITY l\(level) \"\(String(repeating: "&l\(level - 1);", count: 10))\">"
    }.joined()
    #expect(
      error(
        """
        <?xml version="1.0"?><!DOCTYPE T [<!ENTITY l0 "lol">\(laughs)]>
        <TrainingCenterDatabase>&l9;</TrainingCenterDatabase>
        """) == .broken)
    #expect(
      error(
        """
        <!DOCTYPE T [<!ENTITY f SYSTEM "file:///etc/passwd">]>
        <TrainingCenterDatabase>&f;</TrainingCenterDatabase>
        """) == .broken)
    #expect(error("<TrainingCenterDatabase>&l9;</TrainingCenterDatabase>") == .broken)
  }

  @Test("Two hundred thousand elements in each other are an error, soon")
  func deep() {
    #expect(
      error("<TrainingCenterDatabase>" + String(repeating: "<a>", count: 200_000)) == .broken)
  }

  @Test("Fifty megabytes are an error without being looked at")
  func large() {
    #expect(error([UInt8](repeating: 0x20, count: 50 << 20)) == .tooLarge)
  }

  @Test("Megabytes of one text, one name, one value or one attribute list end soon")
  func longParts() {
    let long = String(repeating: "x", count: 4 << 20)
    let root = "TrainingCenterDatabase"
    #expect(error("<\(root)>\(long)</\(root)>") == .noWorkout)
    #expect(error("<\(root)><\(long)/></\(root)>") == .broken)
    #expect(error("<\(root) a=\"\(long)\"/>") == .broken)
    #expect(error("<\(root) a=\"\(long)") == .broken)
    #expect(error("<\(root)><!--\(long)") == .broken)
    let attributes = (0..<100_000).map { "a\($0)=\"\"" }.joined(separator: " ")
    #expect(error("<\(root) \(attributes)/>") == .broken)
    #expect(
      error("<\(root)>\(String(repeating: "<a/>", count: 200_000))</\(root)>") == .noWorkout)
  }

  @Test(
    "An incomplete document is an error",
    arguments: [
      "<TrainingCenterDatabase>", "<TrainingCenterDatabase></Other>", "<", "<?xml",
      "<TrainingCenterDatabase/><TrainingCenterDatabase/>", "<TrainingCenterDatabase/>text",
      "<TrainingCenterDatabase a/>", "<TrainingCenterDatabase a=b/>",
      "<TrainingCenterDatabase a='<'/>", "<TrainingCenterDatabase>&#x110000;",
      "<TrainingCenterDatabase>&#xD800;</TrainingCenterDatabase>",
      "<TrainingCenterDatabase><![CDATA[</TrainingCenterDatabase>", "< TrainingCenterDatabase/>",
      "<TrainingCenterDatabase>&amp</TrainingCenterDatabase>", "<!-->", "<a/ >",
    ])
  func broken(text: String) {
    #expect(error(text) == .broken)
  }

  @Test("Other XML is no workout file")
  func other() {
    #expect(error("<gpx><trk/></gpx>") == .noWorkout)
    #expect(error("<html><body>x</body></html>") == .unknownFormat)
  }

  @Test("Bytes that are no UTF-8 are an error")
  func encoding() {
    let root = Array("<TrainingCenterDatabase>".utf8)
    let end = Array("</TrainingCenterDatabase>".utf8)
    #expect(error(root + [0xC3, 0x28] + end) == .broken)
    // A long text is cut between characters.
    let long = Array(String(repeating: "漢", count: 5000).utf8)
    for shift in 0..<4 {
      #expect(error(root + [UInt8](repeating: 0x61, count: shift) + long + end) == .noWorkout)
    }
  }

  @Test("A good file with any one byte changed is read or refused, never a crash")
  func changed() {
    var made = GeneratedWorkout(5)
    var recording = made.recording()
    recording.samples = RecordedSamples([.power: [1, 2, 3], .speed: [3, 4, 5]])
    let good = TCXWriter.bytes(recording)
    for place in good.indices {
      var bytes = good
      bytes[place] = UInt8.random(in: 0...255, using: &made)
      _ = error(bytes)
      _ = error(Array(good.prefix(place)))
    }
  }
}
