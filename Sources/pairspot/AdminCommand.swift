import App
import ArgumentParser
import Core

/// `pairspot admin`
struct AdminCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "admin", abstract: "Looks after moderators and admins.",
    subcommands: [Create.self, ResetSecondFactor.self, List.self])

  /// `pairspot admin create`
  struct Create: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "create",
      abstract: "Gives somebody a role, and prints a link for setting up their second factor.",
      discussion: "An account is made if the address has none. Every session of theirs ends.")

    /// The roles that can be given.
    enum Choice: String, ExpressibleByArgument, CaseIterable {
      case moderator
      case admin
    }

    @Option(help: "The person's e-mail address.")
    var email: String

    @Option(help: "moderator or admin.")
    var role = Choice.moderator

    @Flag(
      help: "Outside production: turns the second factor on at once and prints its otpauth address."
    )
    var printSecret = false

    func run() throws {
      try StaffCommands.open(Terminal.configuration().atRunningServer()).appoint(
        email: email, as: role == .admin ? .admin : .moderator, printsSecret: printSecret,
        printLine: Terminal.printLine)
    }
  }

  /// `pairspot admin reset-second-factor`
  struct ResetSecondFactor: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "reset-second-factor",
      abstract: "Takes a member's second factor away who has lost phone and recovery codes.",
      discussion: "Every session of theirs ends. First make sure that it is them who asks.")

    @Option(help: "The person's e-mail address.")
    var email: String

    func run() throws {
      try StaffCommands.open(Terminal.configuration().atRunningServer()).resetSecondFactor(
        email: email, printLine: Terminal.printLine)
    }
  }

  /// `pairspot admin list`
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "Lists moderators and admins.")

    func run() throws {
      try StaffCommands.open(Terminal.configuration()).list(printLine: Terminal.printLine)
    }
  }
}
