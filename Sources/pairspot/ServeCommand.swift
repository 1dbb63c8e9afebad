import App
import ArgumentParser
import Foundation

/// `pairspot serve`
struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Runs nginx, handlers and worker until stopped.")

  func run() throws {
    let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    try Serve(Terminal.configuration(), program: program).run(say: Terminal.say)
  }
}
