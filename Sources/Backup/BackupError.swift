import Glibc

/// Why there is no backup, or nothing is brought back from one: a sentence for the operator.
public struct BackupError: Error, Equatable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) {
    self.description = description
  }

  /// What the system said at a path; to be made before anything else is called.
  static func system(_ path: String) -> BackupError {
    BackupError("\(path): \(String(cString: strerror(errno)))")
  }
}
