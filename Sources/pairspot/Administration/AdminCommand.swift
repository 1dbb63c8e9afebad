import App
import ArgumentParser
import Core

/// `pairspot admin`
struct AdminCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "admin", abstract: "Manages moderators and admins.",
    subcommands: [
      Create.self, ChangeRole.self, Suspend.self, Remove.self, ResetSecondFactor.self, List.self,
    ])

  /// `pairspot admin create`
  struct Create: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "create",
      abstract: "Gives a user a role and prints a link for setting up a second factor.",
      discussion: "Creates an account if the address has none. Ends all sessions of the user.")

    /// The roles that can be given.
    enum Choice: String, ExpressibleByArgument, CaseIterable {
      case moderator
      case admin
    }

    @Option(help: "The user's email address.")
    var email: String

    @Option(help: "moderator or admin.")
    var role = Choice.moderator

    @Flag(
      help: "Not in production: turns on the second factor and prints its otpauth URL."
    )
    var printSecret = false

    @OptionGroup var output: OutputOptions

    func run() throws {
      try output.show(
        StaffCommands.open(Terminal.configuration().atRunningServer()).appoint(
          email: email, as: role == .admin ? .admin : .moderator, printsSecret: printSecret))
    }
  }

  /// `pairspot admin reset-second-factor`
  struct ResetSecondFactor: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "reset-second-factor",
      abstract: "Removes the second factor of a member who lost phone and recovery codes.",
      discussion: "Ends all sessions of the member. Verify the member's identity first.")

    @Option(help: "The user's email address.")
    var email: String

    @OptionGroup var output: OutputOptions

    func run() throws {
      try output.show(
        StaffCommands.open(Terminal.configuration().atRunningServer())
          .resetSecondFactor(email: email))
    }
  }

  /// `pairspot admin list`
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "Lists moderators and admins.")

    @OptionGroup var output: OutputOptions

    func run() throws {
      try output.show(StaffCommands.open(Terminal.configuration()).list())
    }
  }
}
