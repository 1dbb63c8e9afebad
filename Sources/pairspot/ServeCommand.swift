import App
import ArgumentParser
import Foundation

/// `pairspot serve`
struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Runs nginx, handlers and worker until stopped.")

  @Flag(help: "Only migrate, check the templates and write nginx's files, as an upgrade does.")
  var prepare = false

  func run() throws {
    let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let serve = Serve(try Terminal.configuration(), program: program)
    if prepare {
      try serve.prepare(say: Terminal.say)
    } else {
      try serve.run(say: Terminal.say)
    }
  }
}
