import App
import ArgumentParser

/// `pairspot drill`
struct DrillCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drill",
    abstract: "Checks that the last backup can be restored; PairSpot may be running.",
    discussion: """
      Restores the backup into the temporary folder DIR/<time>.drill, verifies it as “pairspot \
      restore” does, runs the checks of “pairspot doctor” on it, and removes it. The data in use \
      is not touched, and no mail is sent. Only the result is recorded: /healthz reports a drill \
      that failed, and one that has not passed for 8 days.

      With a PostgreSQL server, the database is restored into a temporary one, which the role must \
      have the right to create.

      Needs free space for a whole copy. Interrupted drills are removed by the next one in the \
      same folder. Exits with 0 if the drill passed.
      """)

  @Argument(help: "A folder of backups, of which the last is tried, or a backup.")
  var folder: String

  @Option(help: "The folder for the temporary folder; created if missing.")
  var into: String?

  func run() throws {
    try DrillCommands(Terminal.configuration()).run(
      of: folder, in: into, printLine: Terminal.printLine)
  }
}
