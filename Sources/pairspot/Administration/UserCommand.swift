import App
import ArgumentParser
import Foundation

/// `pairspot user`
struct UserCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "user", abstract: "Finds, exports, deletes and restores accounts.",
    subcommands: [Find.self, Export.self, Delete.self, Restore.self])

  /// `pairspot user find`
  struct Find: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "find", abstract: "Shows the accounts with an address or id, deleted ones too.")

    @Argument(help: "The user's email address or id.")
    var user: String

    @OptionGroup var output: OutputOptions

    func run() throws {
      try output.show(AccountCommands.open(Terminal.configuration()).find(user))
    }
  }

  /// `pairspot user export`
  struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "export", abstract: "Writes a user's personal data to a ZIP file.",
      discussion: "The user who owns PairSpot's data must be able to write there.")

    @Argument(help: "The user's email address or id.")
    var user: String

    @Argument(help: "A file that does not exist yet.")
    var file: String

    @OptionGroup var output: OutputOptions

    func run() throws {
      let path = URL(fileURLWithPath: file).path
      try output.show(AccountCommands.open(Terminal.configuration()).export(user, to: path))
    }
  }

  /// `pairspot user delete`
  struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "delete", abstract: "Deletes an account as its user would.",
      discussion: """
        A member is told by mail and can come back for 30 days. A guest is removed at once. The only \
        admin cannot be deleted.
        """)

    @Argument(help: "The user's email address or id.")
    var user: String

    @OptionGroup var options: ChangeOptions

    func run() throws {
      try options.output.show(
        AccountCommands.open(Terminal.configuration().atRunningServer())
          .delete(user, isDryRun: options.dryRun))
    }
  }

  /// `pairspot user restore`
  struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "restore", abstract: "Brings a deleted member back, within 30 days.")

    @Argument(help: "The user's email address or id.")
    var user: String

    @OptionGroup var options: ChangeOptions

    func run() throws {
      try options.output.show(
        AccountCommands.open(Terminal.configuration().atRunningServer())
          .restore(user, isDryRun: options.dryRun))
    }
  }
}
