import App
import ArgumentParser

/// `pairspot jobs`
struct JobsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "jobs", abstract: "Lists the worker's jobs and runs one at once.",
    subcommands: [List.self, Retry.self])

  /// `pairspot jobs list`
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "Lists the queued jobs, the first due first.",
      discussion: """
        Of each: id, kind, state (running, due or waiting), attempts, when it is due, and the error \
        of the last attempt. Addresses in errors are masked.
        """)

    @Flag(help: "Only jobs whose last attempt failed.")
    var failed = false

    @Option(help: "The number of jobs at most.")
    var limit = 100

    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard limit > 0 else { throw ValidationError("--limit must be at least 1") }
    }

    func run() throws {
      try output.show(
        QueueCommands.open(Terminal.configuration()).jobs(onlyFailed: failed, limit: limit))
    }
  }

  /// `pairspot jobs retry`
  struct Retry: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "retry",
      abstract: "Makes a job due at once, without waiting for its next attempt.")

    @Argument(help: "The job's id.")
    var id: String

    @OptionGroup var output: OutputOptions

    func run() throws {
      try output.show(QueueCommands.open(Terminal.configuration()).retry(id))
    }
  }
}
