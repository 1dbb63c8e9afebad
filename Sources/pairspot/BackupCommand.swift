import App
import ArgumentParser

/// `pairspot backup`
struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copies database, media and secrets into a folder, while PairSpot runs or not.",
    discussion: """
      The backup is DIR/<time>, with a manifest of every file's size and hash; until it is whole its \
      name ends in “.partial”. It holds the keys: whoever has it can read everything. Files that did \
      not change are shared with the backup before, so that many of them need little room. Links below \
      the data folder are left out, and named. Backups that were interrupted go with the next one.
      """)

  @Argument(help: "The folder of backups; made when it isn't there.")
  var folder: String

  @Flag(help: "Then keep the last of each of 7 days and of 4 weeks, and let go of the others.")
  var keep = false

  func run() throws {
    try BackupDesk(Terminal.configuration()).make(in: folder, keep: keep, say: Terminal.say)
  }
}
