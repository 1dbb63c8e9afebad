import App
import ArgumentParser

/// `pairspot migrate`
struct MigrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate", abstract: "Updates the database schema.")

  func run() throws {
    _ = try Instance(Terminal.configuration())
    Terminal.printLine("the schema is up to date")
  }
}
