import ArgumentParser
import Images

/// `pairspot picture-child`: processes one picture, in a process of its own with limits.
struct ImageProcessorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "picture-child", abstract: "Processes one picture; started by the handlers.",
    shouldDisplay: false)

  @Argument var arguments: [String]

  func run() throws {
    throw ExitCode(ImageProcessorProcess.run(arguments: arguments))
  }
}
