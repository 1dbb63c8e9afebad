import App
import ArgumentParser

/// `pairspot config check`
struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Checks the configuration.", subcommands: [Check.self])

  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check", abstract: "Lists unknown, missing and invalid variables.",
      discussion: """
        One per line. Asks each OpenID provider whether it can be used. Exits with 0 if the \
        configuration is valid, otherwise with 78.
        """)

    /// `EX_CONFIG` of sysexits.h.
    private static let wrong = ExitCode(78)

    func run() throws {
      do {
        try Terminal.configuration().checkProviders()
      } catch let wrong as Configuration.Invalid {
        for problem in wrong.problems { Terminal.printError(problem) }
        throw Self.wrong
      }
      Terminal.printLine("the configuration is valid")
    }
  }
}
