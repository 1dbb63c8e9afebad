import Foundation
import Testing

/// Random schedules of failures. `PAIRSPOT_TEST_SCHEDULES` sets the number of worlds with fifteen
/// people each, `PAIRSPOT_TEST_SEED` the first seed: with 1 and the seed of a failure it is replayed.
@Suite("No schedule of failures loses or doubles an alert")
struct AlertSimulationTests {
  private static func number(_ name: String, _ fallback: UInt64) -> UInt64 {
    ProcessInfo.processInfo.environment[name].flatMap(UInt64.init) ?? fallback
  }

  @Test("Each alert arrives, once, and none about a user who has given a sign of life")
  func schedules() throws {
    let first = Self.number("PAIRSPOT_TEST_SEED", 1)
    let worlds = Self.number("PAIRSPOT_TEST_SCHEDULES", 3)
    var (alerts, timerAlerts, pushes, signs) = (0, 0, 0, 0)
    for seed in first..<(first + worlds) {
      let simulation = try AlertSimulation(seed: seed)
      try simulation.run()
      #expect(simulation.violations.isEmpty, "PAIRSPOT_TEST_SEED=\(seed): \(simulation.violations)")
      alerts += simulation.alerts
      timerAlerts += simulation.timerAlerts
      pushes += simulation.pushes
      signs += simulation.signs
    }
    #expect(alerts > 0)
    // In a single world there may be none.
    let hasAll = timerAlerts > 0 && pushes > 0 && signs > 0
    #expect(hasAll || worlds < 3, "\(timerAlerts), \(pushes) and \(signs)")
  }

  @Test("With a watchman each alert arrives once too, from one of both servers")
  func watchman() throws {
    // In the worlds of the seeds 3 and 4 both send.
    let first = Self.number("PAIRSPOT_TEST_SEED", 3)
    let people = Int(Self.number("PAIRSPOT_TEST_PEOPLE", 8))
    var (byServer, byWatchman) = (0, 0)
    for seed in first..<(first + Self.number("PAIRSPOT_TEST_SCHEDULES", 2)) {
      let simulation = try WatchmanSimulation(seed: seed, people: people)
      try simulation.run()
      #expect(
        simulation.violations.isEmpty, "PAIRSPOT_TEST_SEED=\(seed): \(simulation.violations)")
      byServer += simulation.byServer
      byWatchman += simulation.byWatchman
    }
    #expect(byServer > 0 && byWatchman > 0, "\(byServer) and \(byWatchman)")
  }
}
