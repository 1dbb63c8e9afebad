import App
import ArgumentParser

/// `pairspot doctor`
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Checks the data for errors and repairs them.",
    discussion: """
      Checks the database, the files, their consistency, permissions and disk space. With \
      --repair, files that are not in the database are moved out of the media folder, not deleted. \
      Exits with 0 if there are no errors, or all were repaired.
      """)

  @Flag(help: "Repair errors where possible.")
  var repair = false

  func run() throws {
    let isHealthy = try Doctor.examine(
      at: Terminal.configuration(), repair: repair, printLine: Terminal.printLine)
    guard isHealthy else { throw ExitCode.failure }
    Terminal.printLine("no errors found")
  }
}
