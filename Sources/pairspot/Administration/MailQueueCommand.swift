import App
import ArgumentParser

extension MailCommand {
  /// `pairspot mail queue`
  struct Queue: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "queue", abstract: "Lists mails that wait, failed or came back.",
      discussion: """
        Of each: id, recipient, state (waiting, failed or bounced), attempts, when it is tried next \
        or failed, and the last error. Addresses are masked. Mails are kept for 7 days after they \
        failed.
        """)

    @Flag(help: "Only mails that failed or came back.")
    var failed = false

    @Option(help: "The number of waiting, and of failed mails, at most.")
    var limit = 100

    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard limit > 0 else { throw ValidationError("--limit must be at least 1") }
    }

    func run() throws {
      try output.show(
        QueueCommands.open(Terminal.configuration()).mails(onlyFailed: failed, limit: limit))
    }
  }
}
