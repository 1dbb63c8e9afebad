import App
import ArgumentParser

/// `pairspot handlers`
struct HandlersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "handlers",
    abstract: "Handles requests over FastCGI, or one request as a plain CGI program.")

  @Option(help: "The number of this handler process, from 0.")
  var number = 0

  @Flag(help: "Take over the socket from running handlers.")
  var takeOver = false

  func run() throws {
    try HandlerProcess.run(Terminal.configuration(), number: number, takesOver: takeOver)
  }
}
