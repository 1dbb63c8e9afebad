import App
import ArgumentParser

/// `pairspot restore`
struct RestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Replaces the data with a backup. Stop PairSpot first.",
    discussion: """
      The whole backup is verified before anything is changed. The previous data is kept as \
      before-restore-<time> in the data folder. If the command is interrupted, either the old or \
      the restored data is in place.

      With a PostgreSQL server, PAIRSPOT_DATABASE_URL must name an empty database: rows that are \
      there are never replaced.

      Changes made after the backup are lost. Afterwards:
      - members must sign in again, with the password from the time of the backup; guests stay \
      signed in;
      - accounts and posts deleted since then exist again, used recovery codes and vouchers are \
      valid again, and contacts who have opted out since then receive mail again: correct the \
      cases that you know of;
      - no alerts about missed check-ins are sent for 24 hours after the next start, including \
      those queued in the backup; other queued mails are sent, possibly a second time, with the \
      same Message-ID, unless they are older than three days; contacts whose introduction was \
      among them are introduced again;
      - location sharing is off until users turn it on again;
      - browsers upload again the workouts that they have stored completely.
      """)

  @Argument(help: "A backup, or a folder of backups, of which the last is restored.")
  var folder: String

  func run() throws {
    try BackupCommands(Terminal.configuration()).restore(
      from: folder, printLine: Terminal.printLine)
  }
}
