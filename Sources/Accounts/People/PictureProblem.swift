import Images
import Web

extension PictureError {
  /// The API error for a rejected picture (docs/api/README.md, the table of codes).
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
