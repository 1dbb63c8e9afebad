import App
import ArgumentParser

/// `pairspot handlers`
struct HandlersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "handlers", abstract: "Answers requests by FastCGI, or one as a plain CGI.")

  @Option(help: "Which of several handler processes this is, from 0.")
  var number = 0

  @Flag(help: "Take the socket over from older handlers that run.")
  var takeOver = false

  func run() throws {
    try HandlerProcess.run(Terminal.configuration(), number: number, takesOver: takeOver)
  }
}
