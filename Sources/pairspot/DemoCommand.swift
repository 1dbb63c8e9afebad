import App
import ArgumentParser

/// `pairspot demo`
struct DemoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo", abstract: "Fills an empty instance with demonstration users.")

  func run() throws {
    let configuration = try Terminal.configuration()
    guard configuration.isDevelopment else {
      throw ValidationError("demonstration accounts are only allowed in development")
    }
    try DemoData(Instance(configuration)).fill(printLine: Terminal.printLine)
  }
}
