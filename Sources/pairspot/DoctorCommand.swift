import App
import ArgumentParser

/// `pairspot doctor`
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Looks for what should not be, and mends what can be.")

  @Flag(help: "Mend what can be mended.")
  var repair = false

  func run() throws {
    let house = try House(Terminal.configuration())
    var isWell = true
    for check in house.doctorChecks {
      let found = try house.database.read { try check.find($0) }
      if found.isEmpty { continue }
      for line in found { Terminal.say("\(check.name): \(line)") }
      if repair, let mend = check.repair {
        try house.database.write { try mend($0) }
        Terminal.say("\(check.name): mended")
      } else {
        isWell = false
      }
    }
    guard isWell else { throw ExitCode.failure }
    Terminal.say("all is well")
  }
}
