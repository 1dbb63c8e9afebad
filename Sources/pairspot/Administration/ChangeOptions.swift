import App
import ArgumentParser

/// The options of commands that change something.
struct ChangeOptions: ParsableArguments {
  @Flag(help: "Only print what would change.")
  var dryRun = false

  @OptionGroup var output: OutputOptions
}

/// The options of commands whose output scripts may read.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Print JSON, on one line.")
  var json = false

  /// Prints an answer in the wanted form.
  func show(_ answer: some CommandAnswer) throws {
    for line in try answer.output(asJSON: json) { Terminal.printLine(line) }
  }
}
