import App
import ArgumentParser

/// `pairspot move-media`
struct MoveMediaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "move-media",
    abstract: "Copies pictures and other media into the S3 bucket, or back into the data folder.",
    discussion: """
      Copies the files that TARGET lacks, and reads each copy again. The source is not changed. \
      With s3, PairSpot may run meanwhile: stop it, run the command again for what was added, and \
      then change PAIRSPOT_MEDIA. With files, stop it before.

      If the command is interrupted, run it again.
      """)

  @Argument(help: "s3 (the bucket of PAIRSPOT_S3_BUCKET) or files (the data folder).")
  var target: String

  func run() throws {
    try MoveMedia(Terminal.configuration()).run(to: target, printLine: Terminal.printLine)
  }
}
