import Testing

@testable import App

extension TestInstance {
  /// The folder of backups.
  var directory: String { "\(folder.path)/backups" }

  /// Makes a backup like the timer does; returns the terminal output.
  @discardableResult
  func backUp() throws -> [String] {
    var said: [String] = []
    try BackupCommands(instance.configuration, clock: clock).make(in: directory, keep: true) {
      said.append($0)
    }
    return said
  }

  /// Restores into an empty subfolder and opens the result.
  func restored(_ printLine: (String) -> Void = { _ in }) throws -> Instance {
    let configuration = try configuration(data: "\(folder.path)/restored")
    try BackupCommands(configuration, clock: clock).restore(from: directory, printLine: printLine)
    return try opened(configuration)
  }
}

/// The thrown error as shown to the operator; empty if there is none.
func errorMessage(_ body: () throws -> Void) -> String {
  do {
    try body()
    return ""
  } catch {
    return "\(error)"
  }
}
