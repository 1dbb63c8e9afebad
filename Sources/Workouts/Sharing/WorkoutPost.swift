import Core

/// A post of a workout to create.
public struct WorkoutPost: Sendable {
  /// The audience of the post, with the values of its form.
  public enum Audience: String, Sendable {
    case everyone = "public"
    case followers
    case couple
  }

  public let text: String
  public let audience: Audience
  /// The path of a picture file.
  public let picture: String
  /// The text alternative of the picture.
  public let description: String
  public let nonce: String
}

/// Why no post was created from a workout.
public enum WorkoutPostError: Error, Sendable, Equatable {
  /// More characters than a post may have, by this number.
  case tooLong(by: Int)
  /// Too many pictures are being processed.
  case busy
  /// The user has posted too often; retry after this many s.
  case tooMany(retryAfter: Int)
  /// For the log.
  case failed(String)
}

/// Creates a post of a workout. The Feed module implements it; this module doesn't depend on Feed
/// (docs/developer/architecture.md#modules).
public protocol WorkoutPostCreator: Sendable {
  /// Posts a text and a picture as the viewer; returns the path of the post. The same nonce with the
  /// same content returns the first result. Throws `WorkoutPostError`, and a `Problem` if the viewer
  /// may not post.
  func post(_ draft: WorkoutPost, by viewer: Viewer, now: Instant) throws -> String
}
