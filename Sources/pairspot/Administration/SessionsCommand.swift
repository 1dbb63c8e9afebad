import App
import ArgumentParser

/// `pairspot sessions`
struct SessionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sessions", abstract: "Ends sessions of users.", subcommands: [End.self])

  /// `pairspot sessions end`
  struct End: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "end", abstract: "Signs a user out of all browsers and apps.",
      discussion: "The user is told by mail.")

    @Option(help: "The user's email address or id.")
    var user: String

    @OptionGroup var options: ChangeOptions

    func run() throws {
      try options.output.show(
        AccountCommands.open(Terminal.configuration().atRunningServer()).endSessions(
          of: user, isDryRun: options.dryRun))
    }
  }
}
