import Testing

@testable import App

extension TestInstance {
  /// Its folder of backups.
  var directory: String { "\(folder.path)/backups" }

  /// Makes a backup, as the timer does; answers what is told on the terminal.
  @discardableResult
  func backUp() throws -> [String] {
    var said: [String] = []
    try BackupCommands(instance.configuration, clock: clock).make(in: directory, keep: true) {
      said.append($0)
    }
    return said
  }

  /// Restores into an empty folder inside its own, and opens it.
  func restored(_ say: (String) -> Void = { _ in }) throws -> Instance {
    let configuration = try configuration(data: "\(folder.path)/restored")
    try BackupCommands(configuration, clock: clock).restore(from: directory, say: say)
    return try opened(configuration)
  }
}

/// What is thrown, as the operator reads it; empty for nothing.
func complaint(_ body: () throws -> Void) -> String {
  do {
    try body()
    return ""
  } catch {
    return "\(error)"
  }
}
