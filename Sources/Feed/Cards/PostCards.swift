import Core
import Templates
import Web

/// HTML cards of posts, kept ready for all viewers who see the same of a post.
struct PostCards: Sendable {
  private static let maximumBytes = 8 << 20

  /// Everything that a card depends on. Which posts a viewer sees is not decided here, but by the
  /// query that found them.
  private struct Key: Hashable, Sendable {
    let post: ID<Post>
    let version: PostVersion
    let language: Language
    let options: PostCardOptions
    let age: DateFormatting.Age
    let days: Int?
    let template: Int
  }

  private let template: Template<PostView>
  private let cache: PostCache<Key>

  init(_ site: AppEnvironment, posts: PostStore) throws {
    template = try site.templates.template("partials/post")
    cache = PostCache(posts, maximumBytes: Self.maximumBytes)
  }

  /// The cards of posts that the viewer of this request was found to see.
  func cards(_ posts: [PostSummary], _ context: Context) throws -> [CardView] {
    let (permissions, when) = (
      PostPermissions(
        context.viewer, hasCoins: context.site.hasCoins, mediaURL: context.site.mediaURL),
      DateFormatting(context)
    )
    let (language, version) = (context.language, template.version)
    return try cache.forms(
      of: posts, for: context.viewer,
      key: {
        Key(
          post: $0.id, version: $0.version, language: language,
          options: permissions.options(for: $0), age: when.passed(since: $0.createdAt),
          days: when.daysTogether(since: $0.anniversary), template: version)
      },
      make: { template.render(PostView($0, permissions, when), in: language) }
    ).map { CardView(card: Markup(trusted: $0)) }
  }
}

/// A rendered card, or neighbouring posts that the viewer has reported in its place.
struct CardView: View {
  let card: Markup
  var folded: [FoldedPostView] = []

  static let fields: [String: Field<CardView>] = [
    "card": .markup { $0.card },
    "open": .flag { $0.folded.isEmpty },
    "folded": .optional { $0.folded.count == 1 ? $0.folded.first : nil },
    "several": .optional { $0.folded.count > 1 ? FoldedPostsView(posts: $0.folded) : nil },
  ]
}

/// Parts of a card that only some viewers see.
struct PostCardOptions: OptionSet, Hashable {
  let rawValue: Int

  static let own = Self(rawValue: 1)
  static let liked = Self(rawValue: 2)
  static let mayLike = Self(rawValue: 4)
  static let mayPromote = Self(rawValue: 8)
  static let mayReport = Self(rawValue: 16)
  static let promoted = Self(rawValue: 32)
  /// A post of the viewer's partner.
  static let partners = Self(rawValue: 64)
  /// The viewer is a guest, who could like it as a member.
  static let mayJoin = Self(rawValue: 128)
  static let saved = Self(rawValue: 256)
  /// The pictures are public, and come from `PAIRSPOT_MEDIA_URL`.
  static let hasPublicPictures = Self(rawValue: 512)
}

/// The viewer's rights on cards; computed once per page.
struct PostPermissions {
  private let person: ID<Person>?
  private let couple: ID<Couple>?
  private let sharedCouple: ID<Couple>?
  private let mayLike: Bool
  private let mayJoin: Bool
  private let mayPromote: Bool
  /// The address of public pictures; nil for this instance's own.
  let mediaURL: String?

  init(_ viewer: Viewer?, hasCoins: Bool, mediaURL: String?) {
    self.mediaURL = mediaURL
    person = viewer?.id
    couple = viewer?.couple?.id
    sharedCouple = viewer?.sharedCouple
    mayLike = viewer.map { $0.role >= .member } ?? false
    mayJoin = viewer?.role == .guest
    mayPromote = hasCoins && viewer?.mayPost ?? false
  }

  func options(for post: PostSummary) -> PostCardOptions {
    var options: PostCardOptions = []
    let isOwn = person == post.author
    if isOwn { options.insert(.own) }
    if !isOwn, sharedCouple == post.couple { options.insert(.partners) }
    if post.isLiked { options.insert(.liked) }
    if post.isSaved { options.insert(.saved) }
    if post.promotedUntil != nil { options.insert(.promoted) }
    // The couple itself also sees posts that no one else does: those that moderators have hidden.
    if mediaURL != nil, post.visibility == .everyone, !isOwn, couple != post.couple {
      options.insert(.hasPublicPictures)
    }
    if mayLike { options.insert(.mayLike) }
    if mayJoin { options.insert(.mayJoin) }
    if mayPromote, couple == post.couple, post.visibility == .everyone {
      options.insert(.mayPromote)
    }
    if mayLike, !isOwn, couple != post.couple, post.visibility != .couple {
      options.insert(.mayReport)
    }
    return options
  }
}
