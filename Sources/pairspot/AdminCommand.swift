import App
import ArgumentParser
import Basics

/// `pairspot admin`
struct AdminCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "admin", abstract: "Looks after moderators and admins.",
    subcommands: [Create.self])

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

    func run() throws {
      try StaffDesk(House(Terminal.configuration())).appoint(
        email: email, as: role == .admin ? .admin : .moderator, say: Terminal.say)
    }
  }
}
