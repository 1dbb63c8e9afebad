import App
import ArgumentParser

/// `pairspot invite`
struct InviteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "invite", abstract: "Prints a link with which people may register.",
    discussion: "Needed with PAIRSPOT_REGISTRATION=invitation. Several people can use it.")

  @Option(help: "How many days it can be used, 1 to 365.")
  var days: Int64 = 7

  func validate() throws {
    guard 1...365 ~= days else { throw ValidationError("--days must be from 1 to 365") }
  }

  func run() throws {
    Terminal.printLine(try Invitation.link(Terminal.configuration(), days: days))
  }
}
