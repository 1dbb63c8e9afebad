import App
import ArgumentParser

/// `pairspot worker`
struct WorkerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "worker", abstract: "Sends mail and does what comes due.")

  @Flag(help: "Do what is due now, and end.")
  var once = false

  func run() throws {
    try WorkerProcess.run(Terminal.configuration(), once: once)
  }
}
