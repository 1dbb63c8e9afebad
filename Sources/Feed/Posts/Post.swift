import Core
import Database
import Web

/// The audience of a post (docs/developer/product.md#visibility).
public enum Visibility: String, Sendable, CaseIterable {
  case everyone = "public"
  case followers
  case couple

  /// Whether `self` has a smaller audience than `other`.
  func isNarrower(than other: Visibility) -> Bool { reach < other.reach }

  private var reach: Int {
    switch self {
    case .everyone: 2
    case .followers: 1
    case .couple: 0
    }
  }
}

/// The tabs of a feed.
public enum FeedScope: String, Sendable {
  case everyone
  case following
}

/// A post as one viewer sees it.
public struct Post: Sendable {
  public let id: ID<Post>
  public let couple: ID<Couple>
  public let coupleName: String
  /// URL path of the couple's picture, if any; `authorAvatar` likewise.
  public let coupleAvatar: String?
  public let anniversary: LocalDay?
  public let people: [Viewer.Avatar]
  public let author: ID<Person>
  public let authorName: String
  public let authorAvatar: String?
  public let content: String
  public let visibility: Visibility
  public let likeCount: Int
  public let isLiked: Bool
  public let isSaved: Bool
  public let commentCount: Int
  public let createdAt: Instant
  public let editedAt: Instant?
  public let imageCount: Int
  let version: PostVersion
  /// In display order.
  public var pictures: [Picture] = []
  /// End of the promotion, if it runs and was queried.
  public var promotedUntil: Instant?
}

/// Type of the identifier of a post's picture; it is the UUID in the file names.
public enum PostImage {}

/// A picture of a post.
public struct Picture: Sendable {
  public let id: ID<PostImage>
  public let fileExtension: String
  /// Width of the original, px.
  public let width: Int
  public let height: Int
  public let hasWebP: Bool
  public let description: String
}

/// Limits of user input (docs/developer/feed.md#posts).
enum PostRules {
  static let contentLimits = FieldLimits(characters: 2000)
  static let maximumImages = 9
  static let descriptionLimits = FieldLimits(characters: 300)
  static let pageSize = 20

  /// A picture's description as stored.
  static func description(_ entered: String) -> String {
    descriptionLimits.beginning(of: entered.asOneLine)
  }

  /// The validation error of a text and a number of pictures; nil if valid.
  static func problem(content: String, images: Int) -> PostValidationError? {
    if content.isEmpty && images == 0 { return .empty }
    let excess = contentLimits.excess(of: content)
    if excess > 0 { return .tooLong(by: excess) }
    if images > maximumImages { return .tooManyImages }
    return nil
  }
}

/// Reason why text and pictures are not a valid post.
enum PostValidationError: Equatable {
  case empty
  case tooLong(by: Int)
  case tooManyImages

  /// Error text for the text field; nil if only the pictures are invalid.
  var error: FieldError? {
    switch self {
    case .empty: FieldError("error.content_empty")
    case .tooLong(let by): FieldError("error.content_long", ["count": String(by)])
    case .tooManyImages: nil
    }
  }
}

extension PageCursor<Post> {
  init(_ post: Post) {
    self.init(at: post.createdAt, id: post.id)
  }
}
