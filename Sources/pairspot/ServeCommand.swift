import App
import ArgumentParser
import Foundation

/// `pairspot serve`
struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Runs nginx, handlers and worker until stopped.")

  @Flag(help: "Only migrate, check the templates and write nginx's files, as an upgrade does.")
  var prepare = false

  @Flag(help: .hidden)
  var first = false

  func run() throws {
    let configuration = try Terminal.configuration()
    if prepare {
      let preparation = StartupPreparation(configuration)
      try first ? preparation.first(say: Terminal.say) : preparation.again(say: Terminal.say)
      return
    }
    let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    do {
      try Serve(configuration, program: program).run(say: Terminal.say)
    } catch let failure as Serve.NotPrepared {
      throw ExitCode(failure.status)
    }
  }
}
