import Testing

@testable import App

extension TestHouse {
  /// Its folder of backups.
  var shelf: String { "\(folder.path)/backups" }

  /// Makes a backup, as the timer does; answers what is told on the terminal.
  @discardableResult
  func backUp() throws -> [String] {
    var said: [String] = []
    try BackupDesk(house.configuration, clock: clock).make(in: shelf, keep: true) {
      said.append($0)
    }
    return said
  }

  /// Restores into an empty folder inside its own, and opens it.
  func restored(_ say: (String) -> Void = { _ in }) throws -> House {
    let configuration = try configuration(data: "\(folder.path)/restored")
    try BackupDesk(configuration, clock: clock).restore(from: shelf, say: say)
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
