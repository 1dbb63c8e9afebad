import Core
import Testing

@testable import WorkoutFiles

@Suite("FIT")
struct FITReaderTests {
  private func error(_ bytes: [UInt8]) -> WorkoutFileError? {
    do throws(WorkoutFileError) {
      _ = try WorkoutFile.read(bytes)
      return nil
    } catch {
      return error
    }
  }

  @Test("Both byte orders and both heads give the same; developers' fields are stepped over")
  func orders() throws {
    let files = [
      FITMaker.small().file(), FITMaker.small(bigEndian: true).file(),
      FITMaker.small().file(head: 12),
    ]
    for file in files {
      let read = try #require(try WorkoutFile.read(file).first)
      #expect(read.machine == .rower)
      #expect(
        read.startedAt == GeneratedWorkout.start
          && read.endedAt == GeneratedWorkout.start.adding(seconds: 10))
      #expect(read.duration == 3 && read.paused == 7 && read.energy == 7)
      #expect(read.samples[.power] == [100, nil, 300])
      #expect(read.samples[.heartRate] == [120, nil, 120])
      #expect(read.samples[.speed] == [9, 9, 9] && read.samples[.distance] == [0, 2.5, 5])
      #expect(read.figures.averageHeartRate == 121 && read.figures.maximumHeartRate == 120)
      #expect(read.figures.averagePower == 200)
    }
  }

  @Test("Files that hang on behind each other are several workouts")
  func chained() throws {
    let file = FITMaker.small().file()
    #expect(try WorkoutFile.read(file + file).count == 2)
    #expect(error(file + Array(file.dropLast())) == .broken)
    #expect(error(file + [0]) == .broken)
  }

  @Test("Short timestamps in message headers continue from the last full one, with wraparound")
  func compressed() throws {
    var maker = FITMaker()
    maker.define(1, 20, [(253, 4, 0x86), (7, 2, 0x84)])
    maker.define(2, 20, [(7, 2, 0x84)])
    maker.bytes([1])
    maker.number(FITMaker.start, 4)
    maker.number(1, 2)
    var expected: [Double?] = [1] + [Double?](repeating: nil, count: 60)
    for second in [5, 20, 31, 33, 60] as [UInt64] {
      maker.bytes([0x80 | 2 << 5 | UInt8((FITMaker.start + second) & 0x1F)])
      maker.number(second, 2)
      expected[Int(second)] = Double(second)
    }
    let read = try #require(try WorkoutFile.read(maker.file()).first)
    #expect(read.samples[.power] == expected)
    #expect(read.duration == 60)
  }

  @Test("Without a session the laps count, and without them the records and the timer's stops")
  func unfinished() throws {
    var maker = FITMaker()
    maker.define(0, 20, [(253, 4, 0x86), (3, 1, 2)])
    maker.define(1, 21, [(253, 4, 0x86), (0, 1, 0), (1, 1, 0)])
    for (second, stop) in [(0, nil), (10, 4), (40, 0), (50, nil)] as [(UInt64, UInt8?)] {
      maker.bytes([0])
      maker.number(FITMaker.start + second, 4)
      maker.bytes([99])
      guard let stop else { continue }
      maker.bytes([1])
      maker.number(FITMaker.start + second, 4)
      maker.bytes([0, stop])
    }
    let bare = try #require(try WorkoutFile.read(maker.file()).first)
    #expect(bare.duration == 20 && bare.paused == 30 && bare.machine == .other)
    maker.define(2, 19, [(2, 4, 0x86), (8, 4, 0x86), (25, 1, 0), (11, 2, 0x84)])
    for second in [0, 30] as [UInt64] {
      maker.bytes([2])
      maker.number(FITMaker.start + second, 4)
      maker.number(15_000, 4)
      maker.bytes([2])
      maker.number(8, 2)
    }
    let laps = try #require(try WorkoutFile.read(maker.file()).first)
    #expect(laps.duration == 30 && laps.energy == 16 && laps.machine == .bike)
  }

  @Test("Courses and settings are no workouts")
  func others() {
    var maker = FITMaker()
    maker.define(0, 0, [(0, 1, 0)])
    maker.bytes([0, 6])
    #expect(error(maker.file()) == .noWorkout)
    #expect(error(FITMaker().file()) == .noWorkout)
  }

  @Test(
    "Numbers of every base type, and the one of each that means none",
    arguments: [
      (0x00, [0x05], 5.0), (0x00, [0xFF], nil), (0x01, [0xFB], -5), (0x01, [0x7F], nil),
      (0x02, [0xFE], 254), (0x83, [0xFE, 0xFF], -2), (0x83, [0xFF, 0x7F], nil),
      (0x84, [0x34, 0x12], 0x1234), (0x85, [0xFF, 0xFF, 0xFF, 0xFF], -1),
      (0x85, [0xFF, 0xFF, 0xFF, 0x7F], nil), (0x86, [1, 0, 0, 0], 1),
      (0x86, [0xFF, 0xFF, 0xFF, 0xFF], nil), (0x88, [0, 0, 0x20, 0x41], 10),
      (0x88, [0xFF, 0xFF, 0xFF, 0xFF], nil), (0x88, [0, 0, 0x80, 0x7F], nil),
      (0x89, [0, 0, 0, 0, 0, 0, 0x24, 0x40], 10), (0x0A, [0], nil), (0x0A, [0xFF], 255),
      (0x8B, [0, 0], nil), (0x8C, [1, 0, 0, 0], 1), (0x0D, [0xFF], nil),
      (0x8E, [0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], -2),
      (0x8F, [2, 0, 0, 0, 0, 0, 0, 0], 2), (0x90, [0, 0, 0, 0, 0, 0, 0, 0], nil),
      (0x07, [0x41], nil), (0x1F, [1], nil), (0x84, [1], nil),
    ] as [(UInt8, [UInt8], Double?)])
  func values(type: UInt8, bytes: [UInt8], expected: Double?) {
    #expect(
      FITValue.read(bytes, at: 0, size: bytes.count, type: type, isBigEndian: false) == expected)
    #expect(
      FITValue.read(
        Array(bytes.reversed()), at: 0, size: bytes.count, type: type, isBigEndian: true)
        == expected)
  }

  @Test("The checksum is CRC-16/ARC")
  func checksum() {
    #expect(FITChecksum.of(Array("123456789".utf8)[...]) == 0xBB3D)
  }

  @Test("Any one byte changed and any end cut off is found")
  func changed() {
    let good = FITMaker.small().file()
    for place in good.indices {
      var bytes = good
      bytes[place] ^= 0x55
      #expect(error(bytes) != nil, "byte \(place)")
      #expect(error(Array(good.prefix(place))) != nil, "cut at \(place)")
    }
  }

  @Test("Nonsense under a right checksum is read or refused, never a crash: 20,000 times")
  func nonsense() {
    var made = GeneratedWorkout(7)
    let good = FITMaker.small(bigEndian: true).data
    for _ in 0..<20_000 {
      var data = good
      for _ in 0..<Int.random(in: 1...6, using: &made) {
        data[Int.random(in: data.indices, using: &made)] = UInt8.random(in: 0...255, using: &made)
      }
      var maker = FITMaker()
      maker.bytes(data)
      _ = error(maker.file())
    }
  }

  @Test("Records far apart and records without end are refused")
  func tooMuch() {
    var maker = FITMaker()
    maker.define(0, 20, [(253, 4, 0x86), (3, 1, 2)])
    for second in [0, 86_402] as [UInt64] {
      maker.bytes([0])
      maker.number(FITMaker.start + second, 4)
      maker.bytes([99])
    }
    #expect(error(maker.file()) == .tooLong)
    maker.define(1, 20, [(3, 1, 2)])
    maker.bytes([UInt8](repeating: 0, count: 0))
    for _ in 0..<300_000 { maker.bytes([0x80 | 1 << 5, 99]) }
    #expect(error(maker.file()) == .tooMuch)
  }
}
