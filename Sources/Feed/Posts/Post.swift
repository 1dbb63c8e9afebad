import Core
import Web

/// Who sees a post (docs/developer/product.md#visibility).
public enum Visibility: String, Sendable, CaseIterable {
  case everyone = "public"
  case followers
  case couple

  /// Whether `self` is seen by fewer people than `other`.
  func isNarrower(than other: Visibility) -> Bool { reach < other.reach }

  private var reach: Int {
    switch self {
    case .everyone: 2
    case .followers: 1
    case .couple: 0
    }
  }
}

/// Whose posts a feed shows: its tabs.
public enum FeedScope: String, Sendable {
  case everyone
  case following
}

/// One post, as somebody sees it.
public struct Post: Sendable {
  public let id: ID<Post>
  public let couple: ID<Couple>
  public let coupleName: String
  /// Addresses of pictures, if there are any; so the author's.
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
  public let createdAt: Instant
  public let editedAt: Instant?
  public let imageCount: Int
  /// In their order.
  public var pictures: [Picture] = []
  /// The end of its promotion, where that runs and was asked for.
  public var promotedUntil: Instant?
}

/// The kind of the identifier of a picture of a post; it is the UUID in its files' names.
public enum PostImage {}

/// A picture of a post.
public struct Picture: Sendable {
  public let id: ID<PostImage>
  public let fileExtension: String
  /// px, of the original.
  public let width: Int
  public let height: Int
  public let hasWebP: Bool
  public let description: String
}

/// The bounds of what people write (docs/developer/feed.md#posts).
enum PostRules {
  static let contentMost = FieldLimits(characters: 2000)
  static let imagesMost = 9
  static let descriptionMost = FieldLimits(characters: 300)
  static let pageSize = 20

  /// A picture's description as it is kept.
  static func description(_ typed: String) -> String {
    descriptionMost.beginning(of: typed.asOneLine)
  }

  /// What is wrong with words and a number of pictures; nil when it can be posted.
  static func problem(content: String, images: Int) -> PostValidationError? {
    if content.isEmpty && images == 0 { return .empty }
    let excess = contentMost.excess(of: content)
    if excess > 0 { return .tooLong(by: excess) }
    if images > imagesMost { return .tooManyImages }
    return nil
  }
}

/// Why words and pictures make no post.
enum PostValidationError: Equatable {
  case empty
  case tooLong(by: Int)
  case tooManyImages

  /// What to say of the words; nil when it is the pictures that are wrong.
  var error: FieldError? {
    switch self {
    case .empty: FieldError("error.content_empty")
    case .tooLong(let by): FieldError("error.content_long", ["count": String(by)])
    case .tooManyImages: nil
    }
  }
}

/// A place in a list of posts, newest first: what comes after it is older.
public struct PostCursor: Sendable, Equatable {
  let createdAt: Instant
  let id: ID<Post>

  /// The place before everything.
  static let start = PostCursor(createdAt: Instant(milliseconds: .max), id: .random())

  init(createdAt: Instant, id: ID<Post>) {
    self.createdAt = createdAt
    self.id = id
  }

  init(_ post: Post) {
    self.init(createdAt: post.createdAt, id: post.id)
  }

  /// Reads "<ms>-<id>"; nil for anything else.
  init?(_ text: String?) {
    guard let parts = text?.split(separator: "-", maxSplits: 1), parts.count == 2,
      let milliseconds = Int64(parts[0]), let id = ID<Post>(parts[1])
    else { return nil }
    self.init(createdAt: Instant(milliseconds: milliseconds), id: id)
  }

  var text: String { "\(createdAt.milliseconds)-\(id)" }
}
