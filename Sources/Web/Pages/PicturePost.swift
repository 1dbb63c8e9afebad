import Core
import HTTPTypes
import Templates

/// A post of one picture to create, from other modules than Feed.
public struct PicturePost: Sendable {
  /// The audience of the post, with the values of its form.
  public enum Audience: String, Sendable {
    case everyone = "public"
    case followers
    case couple
  }

  public let text: String
  public let audience: Audience
  /// The path of a file.
  public let picture: String
  /// The text alternative.
  public let description: String
  public let nonce: String

  public init(
    text: String, audience: Audience, picture: String, description: String, nonce: String
  ) {
    self.text = text
    self.audience = audience
    self.picture = picture
    self.description = description
    self.nonce = nonce
  }
}

/// Creates posts of one picture. The Feed module implements it; modules with such posts don't depend
/// on Feed (docs/developer/architecture.md#modules).
public protocol PicturePostCreator: Sendable {
  /// Posts a text and a picture file as the viewer; returns the path of the post. The same nonce
  /// with the same content returns the first result. Throws `PicturePostError`, and a `Problem` if
  /// the viewer may not post.
  func post(_ draft: PicturePost, by viewer: Viewer, now: Instant) throws -> String
}

/// Why no post was created.
public enum PicturePostError: Error, Sendable, Equatable {
  /// More characters than a post may have, by this number.
  case tooLong(by: Int)
  /// Larger than a picture of a post may be.
  case tooLarge
  /// Too many pictures are being processed.
  case busy
  /// The user has posted too often; retry after this many s.
  case tooMany(retryAfter: Int)
  case diskFull
  /// For the log.
  case failed(String)

  /// The text in the viewer's language.
  public func text(_ context: Context) -> String {
    switch self {
    case .tooLong(let by): context.text("error.content_long", count: by)
    case .tooLarge: context.text("album.error_post_large")
    case .busy: context.text("album.error_busy")
    case .tooMany: context.text("error.posts_many")
    case .diskFull: context.text("error.image_full")
    case .failed: context.text("album.error_unknown")
    }
  }

  fileprivate var status: HTTPResponse.Status {
    switch self {
    case .tooLong, .tooLarge, .failed: .unprocessableContent
    case .busy: .serviceUnavailable
    case .tooMany: .tooManyRequests
    case .diskFull: .insufficientStorage
    }
  }

  fileprivate var retryAfter: Int? {
    switch self {
    case .busy: 5
    case .tooMany(let seconds): seconds
    case .tooLong, .tooLarge, .diskFull, .failed: nil
    }
  }
}

extension Page {
  /// The response with the form of a post that was not created.
  public func response(
    _ content: Content, _ context: Context, after error: PicturePostError
  ) -> Response {
    if case .failed(let reason) = error { context.noteError(reason) }
    var response = response(content, context, status: error.status)
    if let wait = error.retryAfter { response.headers[.retryAfter] = String(wait) }
    return response
  }
}
