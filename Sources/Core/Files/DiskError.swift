import Glibc

/// An error of the operating system for a file. The web server detects a full disk by it and
/// answers with a message of its own, whichever module threw the error.
public protocol DiskError: Error {
  /// The `errno` of the system call; 0 if there is none.
  var systemError: Int32 { get }
}

extension DiskError {
  /// Whether the disk is full or the quota is used up.
  public var isFull: Bool { [ENOSPC, EDQUOT].contains(systemError) }
}
