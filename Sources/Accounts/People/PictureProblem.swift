import Images
import Web

extension PictureError {
  /// What the API answers for a picture that isn't taken (docs/api/README.md, the table of codes).
  public func problem(fields: [String: FieldError]) -> Problem {
    switch self {
    case .unsupportedFormat: Problem(.unsupportedFormat, fields: fields)
    case .tooManyBytes: Problem(.payloadTooLarge, fields: fields)
    case .damaged, .tooManyPixels: Problem(.notAcceptablePicture, fields: fields)
    case .busy: Problem(.unavailable, fields: fields, retryAfter: 5)
    case .diskFull: .diskFull(fields: fields, retryAfter: 60)
    case .failed: Problem(.internal)
    }
  }
}
