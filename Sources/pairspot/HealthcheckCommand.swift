import App
import ArgumentParser

/// `pairspot healthcheck`
struct HealthcheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "healthcheck", abstract: "Asks the running instance for its health.",
    discussion: """
      Requests /healthz on this machine. Exits with 0 if all is well, otherwise with 1 and one line \
      that says why. For containers and other supervisors.
      """)

  @Flag(
    help: "Only whether requests are answered, not whether mail, disk and worker are well.")
  var live = false

  func run() throws {
    let query = HealthQuery(try Terminal.configuration())
    guard let problem = live ? query.silence() : query.problem() else { return }
    Terminal.printError(problem)
    throw ExitCode.failure
  }
}
