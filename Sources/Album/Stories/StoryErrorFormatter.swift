import HTTPTypes
import PhotoMetadata
import Web

/// Formats errors of stories for users.
enum StoryErrorFormatter {
  static func error(for problem: PhotoStoryError) -> FieldError {
    switch problem {
    case .empty: FieldError("album.story.empty")
    case .tooManyCharacters(let count):
      FieldError("album.story.too_long", ["count": "\(count)"])
    case .tooManyBytes: FieldError("album.story.too_many_bytes")
    case .controlCharacter: FieldError("album.story.control_character")
    }
  }

  /// The error of an uploaded photo: a story is written into the file itself, so HEIC is refused.
  static func error(for problem: PhotoError) -> FieldError {
    guard case .format(let format) = problem else { return PhotoErrorFormatter.error(problem) }
    guard !format.name.isEmpty else { return FieldError("stories.error_format_unknown") }
    return FieldError("stories.error_format", ["format": format.name])
  }

  /// The status of an error: 422 if the user can correct it, 5xx for server errors.
  static func status(for problem: PhotoError) -> HTTPResponse.Status {
    switch problem {
    case .read(.missing), .read(.damaged), .read(.tooManyBytes), .read(.tooManyPixels), .format:
      .unprocessableContent
    case .write(.locked): .conflict
    case .write(.diskFull): .init(code: 507, reasonPhrase: "Insufficient Storage")
    case .permission, .read(.failed), .write, .unknown: .internalServerError
    }
  }
}
