import Core
import Database

/// A running promotion of a post.
public struct FeedPromotion: Sendable {
  public let post: ID<Post>
  public let until: Instant

  public init(post: ID<Post>, until: Instant) {
    self.post = post
    self.until = until
  }
}

/// All running promotions, in the order of the current minute. Built once for all pages of that
/// minute: there may be thousands, and a page shows three.
public final class FeedPromotionRotation: Sendable {
  public static let none = FeedPromotionRotation([])

  public let promotions: [FeedPromotion]
  /// The end of each post's promotion.
  public let ends: [ID<Post>: Instant]

  public init(_ promotions: [FeedPromotion]) {
    self.promotions = promotions
    ends = Dictionary(promotions.map { ($0.post, $0.until) }) { $1 }
  }
}

/// Source of the promoted posts at the top of the feed: implemented by Wallet, on which this module
/// does not depend (docs/developer/architecture.md#modules).
public protocol Promotions: Sendable {
  /// The running promotions, in the order of this minute. Writes nothing.
  func running(now: Instant, in reader: ReadTransaction) throws -> FeedPromotionRotation

  /// The ends of these posts' promotions, in one query; posts without a running promotion are left
  /// out.
  func ends(
    of posts: [ID<Post>], now: Instant, in reader: ReadTransaction
  ) throws -> [ID<Post>: Instant]
}

extension FeedEnvironment {
  /// The same posts, each with the end of its promotion.
  func marked(_ posts: [PostSummary], now: Instant) throws -> [PostSummary] {
    guard !posts.isEmpty else { return posts }
    return posts.marked(by: try promotionEnds(of: posts.map(\.id), now: now))
  }

  /// The same post with the end of its promotion.
  func marked(_ post: Post, now: Instant) throws -> Post {
    var post = post
    post.promotedUntil = try promotionEnds(of: [post.id], now: now)[post.id]
    return post
  }

  private func promotionEnds(of posts: [ID<Post>], now: Instant) throws -> [ID<Post>: Instant] {
    try site.database.read { try promotions.ends(of: posts, now: now, in: $0) }
  }
}

extension [PostSummary] {
  /// The same posts, each with the end of its promotion among these.
  func marked(by ends: [ID<Post>: Instant]) -> [PostSummary] {
    guard !ends.isEmpty else { return self }
    return map {
      var post = $0
      post.promotedUntil = ends[post.id]
      return post
    }
  }
}

/// The first page of "Everyone": up to three promoted posts of others, if the feed is long enough,
/// then the newest, without duplicates (docs/developer/wallet.md#feed).
struct FeedFirstPage {
  private static let maximumPromoted = 3

  /// Contents of the page.
  struct PageContents {
    let posts: [PostSummary]
    /// Where the next page begins; nil if there are no older posts.
    let next: PageCursor<Post>?
    /// All running promotions with their ends.
    let ends: [ID<Post>: Instant]
  }

  let services: FeedEnvironment

  /// At most `size` posts that this viewer may see; `size` is at least 2.
  func find(for viewer: Viewer, size: Int, now: Instant) throws -> PageContents {
    try services.site.database.read { try find(for: viewer, size: size, now: now, in: $0) }
  }

  /// The same in a transaction of the caller.
  func find(
    for viewer: Viewer, size: Int, now: Instant, in reader: ReadTransaction
  ) throws -> PageContents {
    let running = try services.promotions.running(now: now, in: reader)
    // One post more than the page holds: it shows whether there is a next page.
    let newest = try services.posts.everyone(
      for: viewer, after: .start, limit: max(size + 1, services.minimumPromotedFeed), in: reader)
    // Each page has at least one post that is not promoted, for the next page's cursor.
    let places = min(Self.maximumPromoted, size - 1)
    let promoted =
      running.promotions.isEmpty || newest.count < services.minimumPromotedFeed
      ? []
      : try services.posts.promoted(
        running.promotions, for: viewer, maximum: places, in: reader)
    let others = newest.filter { post in !promoted.contains { $0.id == post.id } }
    let page = ListPage(limit: size - promoted.count, cursor: PageCursor<Post>.init) { _ in others }
    return PageContents(posts: promoted + page.rows, next: page.next, ends: running.ends)
  }
}
