import HTTPTypes
import PhotoMetadata
import Web

/// What is said to a person of what can go wrong with a photo or its story (002_…, chapter 6).
enum StoryWords {
  static func error(for problem: PhotoError) -> FieldError {
    switch problem {
    case .permission: FieldError("album.story.permission")
    case .read(.missing): FieldError("album.story.read_missing")
    case .read(.damaged): FieldError("album.story.read_damaged")
    case .read(.tooManyBytes): FieldError("album.story.read_too_many_bytes")
    case .read(.tooManyPixels): FieldError("album.story.read_too_many_pixels")
    case .read(.failed): FieldError("album.story.read_failed")
    case .write(.diskFull): FieldError("album.story.write_disk_full")
    case .write(.locked): FieldError("album.story.write_locked")
    case .write(.verificationFailed): FieldError("album.story.write_verification")
    case .write(.nameTaken), .write(.failed): FieldError("album.story.write_failed")
    case .format(.unknown): FieldError("album.story.format_unknown")
    case .format(let format): FieldError("album.story.format", ["format": format.name])
    case .unknown: FieldError("album.story.unknown")
    }
  }

  /// What to answer with: what a person can change is 422, what is ours is ours.
  static func status(for problem: PhotoError) -> HTTPResponse.Status {
    switch problem {
    case .read(.missing), .read(.damaged), .read(.tooManyBytes), .read(.tooManyPixels), .format:
      .unprocessableContent
    case .write(.locked): .conflict
    case .write(.diskFull): .init(code: 507, reasonPhrase: "Insufficient Storage")
    case .permission, .read(.failed), .write, .unknown: .internalServerError
    }
  }

  static func error(for problem: PhotoStoryProblem) -> FieldError {
    switch problem {
    case .empty: FieldError("album.story.empty")
    case .tooManyCharacters(let count):
      FieldError("album.story.too_long", ["count": "\(count)"])
    case .tooManyBytes: FieldError("album.story.too_many_bytes")
    case .controlCharacter: FieldError("album.story.control_character")
    }
  }
}
