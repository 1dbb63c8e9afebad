import App
import ArgumentParser

/// `pairspot group`
struct GroupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "group", abstract: "Lists, shows and closes groups.",
    subcommands: [List.self, Show.self, End.self])

  /// `pairspot group list`
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "Lists the open groups.")

    @Option(help: "The number of groups at most.")
    var limit = 100

    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard limit > 0 else { throw ValidationError("--limit must be at least 1") }
    }

    func run() throws {
      try output.show(GroupCommands.open(Terminal.configuration()).list(limit: limit))
    }
  }

  /// `pairspot group show`
  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Shows one group.")

    @Argument(help: "The group's id.")
    var id: String

    @OptionGroup var output: OutputOptions

    func run() throws {
      try output.show(GroupCommands.open(Terminal.configuration()).show(id))
    }
  }

  /// `pairspot group end`
  struct End: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "end", abstract: "Closes a group for all its members.")

    @Argument(help: "The group's id.")
    var id: String

    @OptionGroup var options: ChangeOptions

    func run() throws {
      try options.output.show(
        GroupCommands.open(Terminal.configuration().atRunningServer())
          .end(id, isDryRun: options.dryRun))
    }
  }
}
