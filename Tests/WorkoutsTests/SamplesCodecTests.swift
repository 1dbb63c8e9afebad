import Foundation
import Testing
import WorkoutFiles

@testable import Workouts

@Suite("Samples as blobs")
struct SamplesCodecTests {
  private func made(_ chance: inout SeededRandom) -> RecordedSamples {
    let count = Int.random(in: 0...300, using: &chance)
    var values: [RecordedSamples.Kind: [Double?]] = [:]
    for kind in RecordedSamples.Kind.allCases where Bool.random(using: &chance) {
      let scales: [Double] = [1, 10, 100, 1000]
      let sizes: [Int64] = [10, 1000, 1_000_000, 900_000_000_000]
      let scale = scales.randomElement(using: &chance) ?? 1
      let size = sizes.randomElement(using: &chance) ?? 1
      var series: [Double?] = []
      for _ in 0..<count {
        let isEmpty = Int.random(in: 0...4, using: &chance) == 0
        let number = Double(Int64.random(in: -size...size, using: &chance)) / scale
        series.append(isEmpty ? nil : number)
      }
      values[kind] = series
    }
    return RecordedSamples(values)
  }

  @Test("Come back as they were, two thousand times")
  func roundTrip() throws {
    var chance = SeededRandom(1)
    for _ in 0..<2000 {
      let samples = made(&chance)
      #expect(try SamplesCodec.decode(SamplesCodec.encode(samples)) == samples)
    }
    #expect(try SamplesCodec.decode(SamplesCodec.encode(RecordedSamples())) == RecordedSamples())
  }

  @Test("An hour of all kinds takes less than 25 KB, a night of pause next to nothing")
  func size() {
    var chance = SeededRandom(2)
    var values: [RecordedSamples.Kind: [Double?]] = [:]
    var way = 0.0
    for second in 0..<3600 {
      let power = 150 + Double(Int.random(in: -20...20, using: &chance))
      let speed = (power * 1.9).rounded() / 10
      way += speed / 3.6
      values[.power, default: []].append(power)
      values[.heartRate, default: []].append(120 + (Double(second) / 90).rounded())
      values[.cadence, default: []].append(80 + Double(Int.random(in: -4...4, using: &chance)) / 2)
      values[.speed, default: []].append(speed)
      values[.distance, default: []].append(way.rounded())
    }
    #expect(SamplesCodec.encode(RecordedSamples(values)).count < 25_000)
    let night = [1] + [Double?](repeating: nil, count: 40_000) + [2]
    #expect(SamplesCodec.encode(RecordedSamples([.power: night])).count < 20)
  }

  @Test(
    "Other bytes are refused",
    arguments: [
      [], [2, 0, 255, 255, 255, 255, 255], [1], [1, 0], [1, 1, 255, 255, 255, 255, 255],
      // More seconds than in a day, more than fits into memory, a number without end.
      [1, 0x81, 0xA3, 5, 255, 255, 255, 255, 255],
      [1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1], [1] + [UInt8](repeating: 255, count: 99),
      // An unknown power; bytes after the end; a run longer than the rest.
      [1, 1, 4, 1, 2, 255, 255, 255, 255], [1, 0, 255, 255, 255, 255, 255, 0],
      [1, 1, 0, 2, 2, 2, 255, 255, 255, 255],
      // Endless empty runs.
      [1, 1, 0, 0, 0, 0, 0, 0, 0], [1, 1, 0, 0, 1, 255, 255, 255, 255],
      // A difference that overflows.
      [1, 2, 0, 2, 254, 255, 255, 255, 255, 255, 255, 255, 255, 1, 254, 1, 255, 255, 255, 255],
    ] as [[UInt8]])
  func hostile(bytes: [UInt8]) {
    #expect(throws: SamplesCodec.Broken.self) { try SamplesCodec.decode(bytes) }
  }

  @Test("Any change and any cut is refused or read as some other samples, never a crash")
  func changed() throws {
    var chance = SeededRandom(3)
    for _ in 0..<3000 {
      let good = SamplesCodec.encode(made(&chance))
      var bytes = good
      for _ in 0..<Int.random(in: 1...4, using: &chance) {
        bytes[Int.random(in: bytes.indices, using: &chance)] = .random(in: 0...255, using: &chance)
      }
      let cut = Array(good.prefix(Int.random(in: 0..<good.count, using: &chance)))
      #expect(throws: SamplesCodec.Broken.self) { try SamplesCodec.decode(cut) }
      guard let read = try? SamplesCodec.decode(bytes) else { continue }
      #expect(read.count <= RecordedSamples.maximumSeconds)
    }
  }
}
