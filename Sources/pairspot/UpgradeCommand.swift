import App
import ArgumentParser

/// `pairspot upgrade`
struct UpgradeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "upgrade",
    abstract: "Has a running `pairspot serve` change over to the program and pages on the disk.",
    discussion: """
      Newer handlers take the socket and older ones finish, so that no request is dropped. When \
      the newer program can't start, the older one goes on.
      """)

  func run() throws {
    try Upgrade(Terminal.configuration()).run(printLine: Terminal.printLine)
  }
}
