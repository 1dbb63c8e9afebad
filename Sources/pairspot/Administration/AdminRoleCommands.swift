import App
import ArgumentParser
import Core

extension AdminCommand {
  /// `pairspot admin role`
  struct ChangeRole: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "role", abstract: "Changes the role of a member.",
      discussion: """
        Ends all sessions of the member, who is told by mail. Prints a link for setting up a second \
        factor if one is missing. The only admin keeps the role.
        """)

    /// The roles that a member can have.
    enum Choice: String, ExpressibleByArgument, CaseIterable {
      case member
      case moderator
      case admin

      var role: Role {
        switch self {
        case .member: .member
        case .moderator: .moderator
        case .admin: .admin
        }
      }
    }

    @Option(help: "The member's email address.")
    var email: String

    @Option(help: "member, moderator or admin.")
    var role: Choice

    @OptionGroup var options: ChangeOptions

    func run() throws {
      try options.output.show(
        StaffCommands.open(Terminal.configuration().atRunningServer()).changeRole(
          of: email, to: role.role, isDryRun: options.dryRun))
    }
  }

  /// `pairspot admin suspend`
  struct Suspend: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "suspend", abstract: "Suspends a member, as a moderator does.",
      discussion: "The member is told why, and can appeal. Lift it at /admin/users.")

    @Option(help: "The member's email address or id.")
    var user: String

    @Option(help: "1, 7 or 30 days; 0 for good.")
    var days: Int

    @Option(help: "The reason, which the member reads.")
    var why: String

    @OptionGroup var options: ChangeOptions

    func run() throws {
      try options.output.show(
        AccountCommands.open(Terminal.configuration().atRunningServer())
          .suspend(user, days: days, why: why, isDryRun: options.dryRun))
    }
  }

  /// `pairspot admin remove`
  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Makes a moderator or admin an ordinary member.",
      discussion: """
        The account stays. Ends all sessions of the member, who is told by mail. The only admin \
        cannot be removed.
        """)

    @Option(help: "The member's email address.")
    var email: String

    @OptionGroup var options: ChangeOptions

    func run() throws {
      try options.output.show(
        StaffCommands.open(Terminal.configuration().atRunningServer()).remove(
          email, isDryRun: options.dryRun))
    }
  }
}
