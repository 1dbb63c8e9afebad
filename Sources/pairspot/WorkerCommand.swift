import App
import ArgumentParser

/// `pairspot worker`
struct WorkerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "worker", abstract: "Sends mail and runs due jobs.")

  @Flag(help: "Run the jobs that are due now, then exit.")
  var once = false

  func run() throws {
    try WorkerProcess.run(Terminal.configuration(), once: once)
  }
}
