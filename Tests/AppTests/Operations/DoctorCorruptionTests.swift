import Database
import Foundation
import PostgreSQLServer
import Testing

@testable import App

@Suite("The doctor and every harm")
struct DoctorCorruptionTests {
  @Test(
    "Every check has a corruption, and every corruption its check",
    .onSQLite("another check is about a server"))
  func table() throws {
    let checks = try TestInstance().instance.doctorChecks.map(\.name)
    #expect(Set(checks).count == checks.count)
    let corrupted = Set(DoctorCorruptions.all.map(\.check))
    #expect(corrupted == Set(checks), "\(corrupted.symmetricDifference(checks))")
  }

  /// Output of a run, and the checks it names.
  private func run(
    _ instance: TestInstance, _ checks: [DoctorCheck], repair: Bool = false
  ) -> (said: [String], named: Set<String>) {
    var said: [String] = []
    _ = Doctor(instance.database, checks).run(repair: repair) { said.append($0) }
    let names = checks.map(\.name).filter { name in said.contains { $0.hasPrefix("\(name): ") } }
    return (said, Set(names))
  }

  @Test(
    "Each check finds its corruption; repairable ones are repaired, permanently",
    arguments: DoctorCorruptions.all.filter {
      TestEngine.ofInstances == .sqlite || !DoctorCorruptions.onSQLite.contains($0.check)
    })
  func corruption(_ corruption: DoctorCorruption) throws {
    let instance = try corruption.scenario.make()
    let well = instance.instance.doctorChecks.filter {
      $0.name != "no live event is stuck"
    }
    #expect(run(instance, well).said == [])
    try corruption.corruption(instance)
    let others = corruption.others(instance)
    let names = Set(others.map(\.name))
    let checks = instance.instance.doctorChecks.filter { !names.contains($0.name) } + others
    let check = try #require(checks.first { $0.name == corruption.check })
    let found = run(instance, checks)
    #expect(found.named.contains(corruption.check), "\(found.said)")
    #expect(!found.said.contains { $0.contains("check failed") }, "\(found.said)")
    // Checking changes nothing.
    #expect(run(instance, checks).said == found.said)
    let mended = run(instance, checks, repair: true)
    let again = run(instance, checks)
    if check.repair == nil {
      #expect(again.named.contains(corruption.check), "\(again.said)")
    } else {
      #expect(mended.said.contains("\(corruption.check): repaired"), "\(mended.said)")
      #expect(!again.named.contains(corruption.check), "\(again.said)")
    }
    // Only findings that need an operator remain.
    let left = checks.filter { again.named.contains($0.name) }
    #expect(left.allSatisfy { $0.repair == nil }, "\(again.said)")
  }
}
