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

      What a restore would refuse is none: when the database is damaged, the keys are gone or don't open \
      it, or files are gone that the last backup has, this fails, what there is is kept as \
      DIR/<time>.faulty, and no other backup is let go. On the disk of the data, room is left for those \
      who write.
      """)

  @Argument(help: "The folder of backups; made when it isn't there.")
  var folder: String

  @Flag(help: "Then keep the last of each of 7 days and of 4 weeks, and let go of the others.")
  var keep = false

  func run() throws {
    try BackupCommands(Terminal.configuration()).make(
      in: folder, keep: keep, printLine: Terminal.printLine)
  }
}
