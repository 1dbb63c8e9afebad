import App
import ArgumentParser

/// `pairspot config check`
struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "About the configuration.", subcommands: [Check.self])

  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Names each unknown, missing or wrong variable.",
      discussion: "One a line. Ends with 0 when the configuration is good, else with 78.")

    /// `EX_CONFIG` of sysexits.h.
    private static let wrong = ExitCode(78)

    func run() throws {
      do {
        _ = try Terminal.configuration()
      } catch let wrong as Configuration.Invalid {
        for problem in wrong.problems { Terminal.printError(problem) }
        throw Self.wrong
      }
      Terminal.printLine("the configuration is good")
    }
  }
}
