import Glibc

/// What the operating system refused of a file. Whoever answers requests tells people of a full
/// disk in words of its own, whichever module met it.
public protocol DiskError: Error {
  /// The system's error number; 0 for what was none of its.
  var systemError: Int32 { get }
}

extension DiskError {
  /// Whether there is no room on the disk, or none that we may have.
  public var isFull: Bool { [ENOSPC, EDQUOT].contains(systemError) }
}
