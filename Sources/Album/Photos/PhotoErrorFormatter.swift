import PhotoMetadata
import Web

/// Formats errors of photos for users.
enum PhotoErrorFormatter {
  static func message(_ rejection: AlbumPhotoError, _ context: Context) -> String {
    switch rejection {
    case .busy: context.text("album.error_busy")
    case .conflict: context.text("album.error_conflict")
    case .tooMany, .storageFull: error(rejection).text(context)
    case .photo(let error): message(error, context)
    }
  }

  /// The message about a reached limit.
  static func error(_ rejection: AlbumPhotoError) -> FieldError {
    guard case .storageFull(let maximum) = rejection else {
      return FieldError("album.error_too_many")
    }
    return FieldError("album.error_storage", ["most": "\(maximum >> 20)"])
  }

  static func message(_ error: PhotoError, _ context: Context) -> String {
    Self.error(error).text(context)
  }

  static func error(_ error: PhotoError) -> FieldError {
    // Most HEIC photos are converted.
    if case .format(let format) = error, format != .heic, !format.name.isEmpty {
      return FieldError("album.error_format", ["format": format.name])
    }
    return FieldError(key(error))
  }

  private static func key(_ error: PhotoError) -> String {
    switch error {
    case .permission: "album.error_permission"
    case .read(.missing): "album.error_read_missing"
    case .read(.damaged): "album.error_read_damaged"
    case .read(.tooManyBytes): "album.error_read_too_many_bytes"
    case .read(.tooManyPixels): "album.error_read_too_many_pixels"
    case .read(.failed): "album.error_read_failed"
    case .write(.diskFull): "album.error_write_disk_full"
    case .write(.locked): "album.error_write_locked"
    case .write(.verificationFailed): "album.error_write_verification"
    case .write(.nameTaken), .write(.failed): "album.error_write_failed"
    case .format(.heic): "album.error_heic"
    case .format: "album.error_format_unknown"
    case .unknown: "album.error_unknown"
    }
  }

  /// The log entry for the operator; nil for errors of the photo itself.
  static func note(_ error: PhotoError) -> String? {
    switch error {
    case .format, .read(.damaged), .read(.tooManyBytes), .read(.tooManyPixels), .write(.locked):
      nil
    default: "photo: \(error)"
    }
  }
}
