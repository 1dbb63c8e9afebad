import Glibc

/// Errors of reading and writing photos (002_…, chapter 6).
public enum PhotoError: Error, Sendable, Equatable {
  /// The operating system denies access.
  case permission
  case read(ReadFailure)
  case write(WriteFailure)
  /// Unsupported format (格式暫不支援).
  case format(UnsupportedPhoto)
  /// Any other error; the text is for the log.
  case unknown(String)

  public enum ReadFailure: Sendable, Equatable {
    case missing
    /// Truncated, or not the format that it claims to be.
    case damaged
    /// More than `PhotoLimits.bytes`.
    case tooManyBytes
    /// More than `PhotoLimits` allows.
    case tooManyPixels
    /// The text is for the log.
    case failed(String)
  }

  public enum WriteFailure: Sendable, Equatable {
    case diskFull
    /// Another save of this photo is running, or has just ended.
    case locked
    /// The written file did not read back as expected; nothing was changed.
    case verificationFailed
    /// A file of that name exists.
    case nameTaken
    /// The text is for the log.
    case failed(String)
  }

  /// A stable code: the last part of the key of the displayed text.
  public var code: String {
    switch self {
    case .permission: "permission"
    case .read(.missing): "read_missing"
    case .read(.damaged): "read_damaged"
    case .read(.tooManyBytes): "read_too_many_bytes"
    case .read(.tooManyPixels): "read_too_many_pixels"
    case .read(.failed): "read_failed"
    case .write(.diskFull): "write_disk_full"
    case .write(.locked): "write_locked"
    case .write(.verificationFailed): "write_verification"
    case .write(.nameTaken): "write_name_taken"
    case .write(.failed): "write_failed"
    case .format: "format"
    case .unknown: "unknown"
    }
  }

  /// The error for an `errno` of reading.
  static func reading(_ code: Int32) -> PhotoError {
    switch code {
    case EACCES, EPERM: .permission
    case ENOENT, ENOTDIR: .read(.missing)
    default: .read(.failed(String(cString: strerror(code))))
    }
  }

  /// The error for an `errno` of writing.
  static func writing(_ code: Int32) -> PhotoError {
    switch code {
    case EACCES, EPERM, EROFS: .permission
    case ENOSPC, EDQUOT, EFBIG: .write(.diskFull)
    case EWOULDBLOCK, ETXTBSY, EBUSY: .write(.locked)
    case EEXIST: .write(.nameTaken)
    default: .write(.failed(String(cString: strerror(code))))
    }
  }
}
