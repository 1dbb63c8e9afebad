import Glibc

/// A failed file operation that has no error type of its own.
public struct FileOperationError: DiskError, CustomStringConvertible {
  public let description: String
  public let systemError: Int32

  public init(description: String, systemError: Int32 = 0) {
    self.description = description
    self.systemError = systemError
  }

  /// The error of a system call for a path; uses the current `errno`.
  public init(_ call: String, _ path: String) {
    systemError = errno
    description = "\(call) \(path): \(String(cString: strerror(systemError)))"
  }
}
