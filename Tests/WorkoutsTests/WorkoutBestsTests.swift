import Testing
import WorkoutFiles

@testable import Workouts

@Suite("The best stretches of a workout")
struct WorkoutBestsTests {
  private func power(_ watts: [Double?]) -> Double? {
    WorkoutBests(RecordedSamples([.power: watts])).power
  }

  @Test("The best 20 minutes are found wherever they are; shorter workouts have none")
  func power() {
    let easy = [Double?](repeating: 100, count: 900)
    let hard = [Double?](repeating: 200, count: 1200)
    #expect(power(easy + hard + easy) == 200)
    #expect(power(hard + easy) == 200)
    #expect(power(easy) == nil)
    #expect(power([Double?](repeating: 0, count: 1300)) == nil)
    #expect(power(easy + [Double?](repeating: 160, count: 600)) == 130)
  }

  @Test("A value holds for 30 seconds at most")
  func gaps() {
    let every5 = (0..<1500).map { $0 % 5 == 0 ? 150.0 : nil }
    #expect(power(every5) == 150)
    let once = [Double?](repeating: 150, count: 600) + [Double?](repeating: nil, count: 599) + [150]
    #expect(power(once) == 150.0 * 631 / 1200)
  }

  @Test("The shortest time over a distance is found wherever it is")
  func time() {
    // 2 m/s for 500 s, 5 m/s for 400 s, 4 m/s for 1,000 s.
    var (metres, distances) = (0.0, [Double?]())
    for (speed, seconds) in [(2.0, 500), (5.0, 400), (4.0, 1000)] {
      for _ in 0..<seconds {
        metres += speed
        distances.append(metres)
      }
    }
    let bests = WorkoutBests(RecordedSamples([.distance: distances]))
    #expect(bests.time2000 == 400_000)
    #expect(bests.time5000 == 1_150_000)
    let short = WorkoutBests(RecordedSamples([.distance: Array(distances.prefix(600))]))
    #expect(short.time2000 == nil && short.time5000 == nil)
  }

  @Test("Standing still before, gaps and distances that go back do no harm")
  func odd() {
    let rest = [Double?](repeating: 0, count: 100)
    let row = (1...500).map { Double?(Double($0) * 4) }
    let stop = [Double?](repeating: 2000, count: 50)
    #expect(WorkoutBests(RecordedSamples([.distance: rest + row + stop])).time2000 == 500_000)
    var broken = row
    for place in 100..<110 { broken[place] = nil }
    for place in 200..<210 { broken[place] = 1 }
    #expect(WorkoutBests(RecordedSamples([.distance: broken])).time2000 == 500_000)
    #expect(WorkoutBests(RecordedSamples()) == WorkoutBests(RecordedSamples([.distance: [1]])))
  }
}
