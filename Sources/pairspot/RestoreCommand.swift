import App
import ArgumentParser

/// `pairspot restore`
struct RestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Puts a backup in the place of the data. Stop PairSpot first.",
    discussion: """
      All of the backup is verified before anything changes. What was there is kept beside it, as \
      before-restore-<time> in the data folder. Interrupted at any moment, either the old data or the \
      restored ones are there.

      What happened after the backup is gone, and can't be known to it. Afterwards:
      - members sign in again, with the password that they had at the backup; guests stay signed in;
      - accounts and posts that were deleted since are there again, used recovery codes and vouchers \
      work again, and contacts who have asked since not to be written to are written to: deal with \
      those that you know of;
      - no alert about a missed check-in goes out for 24 hours from the next start on, those that \
      waited in the backup included; other mails that waited go out, perhaps for the second time, \
      under the same Message-ID, and after three days no more; contacts whose introduction was among \
      them are introduced anew;
      - nobody's place is shared until they share it anew;
      - browsers bring workouts again that they have whole.
      """)

  @Argument(help: "A backup's folder, or a folder of backups: then the last of them.")
  var folder: String

  func run() throws {
    try BackupCommands(Terminal.configuration()).restore(
      from: folder, printLine: Terminal.printLine)
  }
}
