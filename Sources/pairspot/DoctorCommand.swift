import App
import ArgumentParser

/// `pairspot doctor`
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Looks for what should not be, and mends what can be.",
    discussion: """
      Looks at the database, the files and what must hold between them, and at permissions and the \
      disk. With --repair, files that nobody's row speaks of are moved out of the media folder, not \
      deleted. Ends with 0 when all is well, or was mended.
      """)

  @Flag(help: "Mend what can be mended.")
  var repair = false

  func run() throws {
    let isHealthy = try Doctor.examine(
      at: Terminal.configuration(), repair: repair, printLine: Terminal.printLine)
    guard isHealthy else { throw ExitCode.failure }
    Terminal.printLine("all is well")
  }
}
