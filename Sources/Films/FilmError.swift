import Core
import Glibc
import Images

/// Reason why a film or voice note is rejected (docs/developer/films.md).
public enum FilmError: Error, Equatable, Sendable {
  /// Too many films are being processed: answer 503 with `Retry-After`.
  case busy
  /// The file is larger than `FilmLimits` allows.
  case tooManyBytes
  /// It is longer than the caller allows.
  case tooLong
  /// Its picture has more pixels than `FilmLimits` allows.
  case tooManyPixels
  /// The container or the codec isn't supported.
  case unsupportedFormat
  /// The file is broken or cut off, or needs more time or memory than there is.
  case damaged
  /// A film without a picture: a sound recording, for example.
  case noPicture
  /// A voice note without sound.
  case noSound
  /// The disk is full: answer 507.
  case diskFull
  /// ffmpeg is not installed: pages offer no films then.
  case unavailable
  /// An internal error; the text is for the log.
  case failed(String)

  /// A stable code: the last part of the key of the displayed text.
  public var code: String {
    switch self {
    case .busy: "busy"
    case .tooManyBytes: "too_many_bytes"
    case .tooLong: "too_long"
    case .tooManyPixels: "too_many_pixels"
    case .unsupportedFormat: "unsupported"
    case .damaged: "damaged"
    case .noPicture: "no_picture"
    case .noSound: "no_sound"
    case .diskFull: "disk_full"
    case .unavailable: "unavailable"
    case .failed: "failed"
    }
  }
}

extension FilmError: DiskError {
  public var systemError: Int32 { self == .diskFull ? ENOSPC : 0 }
}

extension FilmError {
  /// The same reason for a film.
  package init(_ error: PictureError) {
    switch error {
    case .busy: self = .busy
    case .tooManyBytes: self = .tooManyBytes
    case .tooManyPixels: self = .tooManyPixels
    case .unsupportedFormat: self = .unsupportedFormat
    case .damaged: self = .damaged
    case .diskFull: self = .diskFull
    case .failed(let reason): self = .failed(reason)
    }
  }
}
