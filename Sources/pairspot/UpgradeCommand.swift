import App
import ArgumentParser

/// `pairspot upgrade`
struct UpgradeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "upgrade",
    abstract: "Switches a running `pairspot serve` to the program and pages on disk.",
    discussion: """
      New handlers take over the socket while the old ones finish, so that no request is dropped. \
      If the new program cannot start, the old one continues.
      """)

  func run() throws {
    try Upgrade(Terminal.configuration()).run(printLine: Terminal.printLine)
  }
}
