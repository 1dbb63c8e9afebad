import App
import ArgumentParser

/// `pairspot migrate`
struct MigrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate", abstract: "Brings the database's schema up to date.")

  func run() throws {
    _ = try Instance(Terminal.configuration())
    Terminal.printLine("up to date")
  }
}
