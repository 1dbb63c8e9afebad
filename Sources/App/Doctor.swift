import Database

/// `pairspot doctor`: every check, one after the other; what one of them throws is its finding and
/// keeps no other from being made.
public struct Doctor: Sendable {
  private let database: Database
  private let checks: [DoctorCheck]

  public init(_ house: House) {
    self.init(house.database, house.doctorChecks)
  }

  init(_ database: Database, _ checks: [DoctorCheck]) {
    self.database = database
    self.checks = checks
  }

  /// Says what is wrong, a line each; answers whether all is well, or is so now that it was mended.
  public func run(repair: Bool, say: (String) -> Void) -> Bool {
    var isWell = true
    for check in checks {
      do {
        let found = try check.find(database)
        if found.isEmpty { continue }
        for line in found { say("\(check.name): \(line)") }
        guard repair, let mend = check.repair else {
          isWell = false
          continue
        }
        try mend(database)
        let left = try check.find(database)
        for line in left { say("\(check.name): still, after mending: \(line)") }
        if left.isEmpty { say("\(check.name): mended") } else { isWell = false }
      } catch {
        say("\(check.name): could not be looked at: \(error)")
        isWell = false
      }
    }
    return isWell
  }
}
