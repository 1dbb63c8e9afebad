import App
import ArgumentParser

/// `pairspot backup`
struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Backs up database, media and secrets; PairSpot may be running.",
    discussion: """
      The backup is DIR/<time>, with a manifest of the size and hash of every file; until it is \
      complete, its name ends in “.partial”. It contains the keys: anyone who has it can read \
      everything. Unchanged files are shared with the previous backup, so that many backups need \
      little space. Links in the data folder are skipped and listed. Interrupted backups are \
      removed by the next one.

      The command fails if the result could not be restored: the database is damaged, the keys are \
      missing or do not match it, or files of the last backup are missing. The result is then kept \
      as DIR/<time>.faulty, and no other backup is removed. If the backup is on the same disk as \
      the data, space is left for the running processes.
      """)

  @Argument(help: "The folder of backups; created if missing.")
  var folder: String

  @Flag(help: "Keep the last backup of each of 7 days and 4 weeks; remove the others.")
  var keep = false

  func run() throws {
    try BackupCommands(Terminal.configuration()).make(
      in: folder, keep: keep, printLine: Terminal.printLine)
  }
}
