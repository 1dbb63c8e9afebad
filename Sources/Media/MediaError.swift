import Core
import Glibc

/// Reason why a store did not do what it was asked.
public enum MediaError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The disk is full.
  case full
  /// The store does not answer, or refuses; the text is for the log.
  case unavailable(String)
  /// An error of the disk; the text is for the log.
  case failed(String)

  public init(_ error: FileOperationError) {
    self = error.isFull ? .full : .failed(error.description)
  }

  public var description: String {
    switch self {
    case .full: "the disk is full"
    case .unavailable(let reason), .failed(let reason): reason
    }
  }
}

extension MediaError: DiskError {
  public var systemError: Int32 { self == .full ? ENOSPC : 0 }
}
