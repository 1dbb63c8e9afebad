import App
import ArgumentParser

/// `pairspot serve`
struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Runs nginx, handlers and worker until stopped.")

  @Flag(help: "Only migrate, check templates and write the nginx files, as an upgrade does.")
  var prepare = false

  @Flag(help: .hidden)
  var first = false

  func run() throws {
    let configuration = try Terminal.configuration()
    if prepare {
      let preparation = StartupPreparation(configuration)
      try first
        ? preparation.first(printLine: Terminal.printLine)
        : preparation.again(printLine: Terminal.printLine)
      return
    }
    do {
      try Serve(configuration, program: Terminal.program()).run(printLine: Terminal.printLine)
    } catch let failure as Serve.NotPrepared {
      throw ExitCode(failure.status)
    }
  }
}
