import Database
import Foundation
import Testing

@testable import App

@Suite("The doctor and every harm")
struct DoctorHarmTests {
  @Test("No check of the house is without a harm, and no harm without its check")
  func table() throws {
    let checks = try TestHouse().house.doctorChecks.map(\.name)
    #expect(Set(checks).count == checks.count)
    let harmed = Set(DoctorHarms.all.map(\.check))
    #expect(harmed == Set(checks), "\(harmed.symmetricDifference(checks))")
  }

  /// What a run says, and which checks it names.
  private func run(
    _ house: TestHouse, _ checks: [DoctorCheck], repair: Bool = false
  ) -> (said: [String], named: Set<String>) {
    var said: [String] = []
    _ = Doctor(house.database, checks).run(repair: repair) { said.append($0) }
    let names = checks.map(\.name).filter { name in said.contains { $0.hasPrefix("\(name): ") } }
    return (said, Set(names))
  }

  @Test(
    "Each check names its harm; what can be mended is, and stays so", arguments: DoctorHarms.all)
  func harm(_ harm: DoctorHarm) throws {
    let house = try harm.scene.make()
    let well = house.house.doctorChecks.filter {
      $0.name != "no live event waits that nobody will take"
    }
    #expect(run(house, well).said == [])
    try harm.harm(house)
    let others = harm.others(house)
    let names = Set(others.map(\.name))
    let checks = house.house.doctorChecks.filter { !names.contains($0.name) } + others
    let check = try #require(checks.first { $0.name == harm.check })
    let found = run(house, checks)
    #expect(found.named.contains(harm.check), "\(found.said)")
    #expect(!found.said.contains { $0.contains("could not be looked at") }, "\(found.said)")
    // Looking changes nothing.
    #expect(run(house, checks).said == found.said)
    let mended = run(house, checks, repair: true)
    let again = run(house, checks)
    if check.repair == nil {
      #expect(again.named.contains(harm.check), "\(again.said)")
    } else {
      #expect(mended.said.contains("\(harm.check): mended"), "\(mended.said)")
      #expect(!again.named.contains(harm.check), "\(again.said)")
    }
    // What is left is what only a person can mend.
    let left = checks.filter { again.named.contains($0.name) }
    #expect(left.allSatisfy { $0.repair == nil }, "\(again.said)")
  }
}
