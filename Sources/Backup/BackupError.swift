import Glibc

/// The reason why a backup or a restore failed: a sentence for the operator.
public struct BackupError: Error, Equatable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) {
    self.description = description
  }

  /// The current `errno` with its path; call this before any other system call.
  static func system(_ path: String) -> BackupError {
    BackupError("\(path): \(String(cString: strerror(errno)))")
  }
}
