import Glibc

/// What can go wrong with a photo (002_…, chapter 6).
public enum PhotoError: Error, Sendable, Equatable {
  /// The operating system does not let us.
  case permission
  case read(ReadFailure)
  case write(WriteFailure)
  /// 格式暫不支援.
  case format(UnsupportedPhoto)
  /// Something that has no name; the text is for the log.
  case unknown(String)

  public enum ReadFailure: Sendable, Equatable {
    case missing
    /// Cut short, or not what it claims to be.
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
    /// Somebody else is saving this photo, or has just done so.
    case locked
    /// What was written did not read back as it should; nothing was changed.
    case verificationFailed
    /// A file of that name is there already.
    case nameTaken
    /// The text is for the log.
    case failed(String)
  }

  /// A word that stays the same: the end of the key of the text that people see.
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

  /// What an `errno` of reading means.
  static func reading(_ code: Int32) -> PhotoError {
    switch code {
    case EACCES, EPERM: .permission
    case ENOENT, ENOTDIR: .read(.missing)
    default: .read(.failed(String(cString: strerror(code))))
    }
  }

  /// What an `errno` of writing means.
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
