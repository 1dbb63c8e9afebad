import App
import ArgumentParser

/// `pairspot watchman`
struct WatchmanCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watchman",
    abstract: "Watches a server on another machine, and sends its alerts if it falls silent.",
    subcommands: [RunCommand.self, KeyCommand.self], defaultSubcommand: RunCommand.self)

  struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "run", abstract: "Watches the server at PAIRSPOT_BASE_URL.")

    func run() throws {
      try WatchmanProcess.run(Terminal.configuration())
    }
  }

  struct KeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "key",
      abstract: "Makes the key of a watchman on the server, and prints the path of its file.",
      discussion: "Restart PairSpot afterwards, and copy the file to the watchman.")

    func run() throws {
      Terminal.printLine(try WatchmanProcess.makeKey(Terminal.configuration()))
    }
  }
}
