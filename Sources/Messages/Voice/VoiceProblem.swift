import Films
import Web

extension FilmError {
  /// The problem of a voice note that was not accepted, with an error of `voice`.
  var voiceProblem: Problem {
    let fields = ["voice": voiceError]
    return switch self {
    case .unsupportedFormat: Problem(.unsupportedFormat, fields: fields)
    case .tooManyBytes: Problem(.payloadTooLarge, fields: fields)
    case .damaged, .tooLong, .noSound, .noPicture, .tooManyPixels: .invalid(fields)
    case .busy: Problem(.unavailable, fields: fields, retryAfter: 5)
    case .unavailable: Problem(.unavailable, fields: fields)
    case .diskFull: .diskFull(fields: fields, retryAfter: 60)
    case .failed: Problem(.internal)
    }
  }

  private var voiceError: FieldError {
    switch self {
    case .unsupportedFormat: FieldError("error.voice_format")
    case .tooManyBytes: FieldError("error.voice_large")
    case .tooLong: FieldError("error.voice_long")
    case .damaged, .noPicture, .tooManyPixels, .failed: FieldError("error.voice_broken")
    case .noSound: FieldError("error.voice_silent")
    case .busy: FieldError("error.voice_busy")
    case .diskFull: FieldError("error.voice_full")
    case .unavailable: FieldError("error.voice_unavailable")
    }
  }
}
