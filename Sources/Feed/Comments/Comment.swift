import Core
import Web

/// A comment on a post as one viewer sees it.
public struct Comment: Sendable {
  public let id: ID<Comment>
  public let post: ID<Post>
  public let author: ID<Person>
  public let avatar: Viewer.Avatar
  /// The couple of the author that others see.
  public let couple: (id: ID<Couple>, name: String)?
  public let content: String
  public let createdAt: Instant
  /// Hidden by moderators: only its author sees it.
  public let isHidden: Bool
}

/// Limits of comments (docs/developer/feed.md#comments).
enum CommentRules {
  static let contentLimits = FieldLimits(characters: 500)
  /// Comments on a page.
  static let pageSize = 50
  /// Each comment may send several pushes.
  static let perUser = RateLimit("comments", maximum: 60, window: .minutes(10))
  /// The same text of the same author on the same post within this time is the same comment, in s.
  static let repetition: Int64 = 60
  /// The number of latest comments whose authors are notified of a further one.
  static let notifiedComments = 50

  /// The validation error of a text; nil if valid.
  static func error(_ content: String) -> FieldError? {
    if content.isEmpty { return FieldError("error.comment_empty") }
    return FieldError.tooLong(content, contentLimits)
  }
}
