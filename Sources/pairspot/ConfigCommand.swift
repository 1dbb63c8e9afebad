import App
import ArgumentParser

/// `pairspot config check`
struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "About the configuration.", subcommands: [Check.self])

  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Names each unknown, missing or wrong variable.")

    func run() throws {
      _ = try Terminal.configuration()
      Terminal.say("the configuration is good")
    }
  }
}
