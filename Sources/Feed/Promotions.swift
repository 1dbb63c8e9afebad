import Accounts
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
  func marked(_ posts: [Post], now: Instant) throws -> [Post] {
    guard !posts.isEmpty else { return posts }
    return posts.marked(
      by: try site.database.read {
        try promotions.ends(of: posts.map(\.id), now: now, in: $0)
      })
  }
}

extension [Post] {
  /// The same posts, each with the end of its promotion among these.
  func marked(by ends: [ID<Post>: Instant]) -> [Post] {
    guard !ends.isEmpty else { return self }
    return map {
      var post = $0
      post.promotedUntil = ends[post.id]
      return post
    }
  }
}

/// The first page of "Everyone": up to three promoted posts, then the newest, without duplicates
/// (docs/developer/wallet.md#feed).
struct FeedFirstPage {
  private static let maximumPromoted = 3

  /// Contents of the page.
  struct PageContents {
    let posts: [Post]
    /// The last post of the page, for the cursor; nil if there are no older posts.
    let last: Post?
    /// All running promotions with their ends.
    let ends: [ID<Post>: Instant]
  }

  let services: FeedEnvironment

  /// At most `size` posts that this viewer may see; `size` is at least 2.
  func find(for viewer: Viewer, size: Int, now: Instant) throws -> PageContents {
    var running = FeedPromotionRotation.none
    // Fetches one post more than the page holds, to know whether there is a next page.
    let newest = try services.posts.everyone(for: viewer, after: .start, limit: size + 1) {
      running = try services.promotions.running(now: now, in: $0)
    }
    // Each page has at least one post that is not promoted, for the next page's cursor.
    let places = min(Self.maximumPromoted, size - 1)
    guard !running.promotions.isEmpty else {
      let shown = Array(newest.prefix(size))
      return PageContents(posts: shown, last: newest.count > size ? shown.last : nil, ends: [:])
    }
    let promoted = try services.posts.promoted(
      running.promotions, for: viewer, maximum: places)
    let others = newest.filter { post in !promoted.contains { $0.id == post.id } }
    let shown = others.prefix(size - promoted.count)
    return PageContents(
      posts: promoted + shown, last: others.count > shown.count ? shown.last : nil,
      ends: running.ends)
  }
}

extension PostStore {
  /// Promotions looked up per query: more than three, since some may be of couples that a block
  /// separates from this viewer.
  private static let atOnce = 12

  /// The first of these promotions that "Everyone" may show this viewer, in their order.
  func promoted(
    _ running: [FeedPromotion], for viewer: Viewer, maximum: Int
  ) throws -> [Post] {
    try database.read { reader in
      var found: [Post] = []
      for start in stride(from: 0, to: running.count, by: Self.atOnce) {
        let some = running[start..<min(start + Self.atOnce, running.count)]
        let posts = try open(some.map(\.post), for: viewer, in: reader)
        for promotion in some where found.count < maximum {
          guard var post = posts.first(where: { $0.id == promotion.post }) else { continue }
          post.promotedUntil = promotion.until
          found.append(post)
        }
        if found.count == maximum { break }
      }
      return try withPictures(found, reader)
    }
  }

  private func open(
    _ ids: [ID<Post>], for viewer: Viewer, in reader: ReadTransaction
  ) throws -> [Post] {
    try reader.rows(
      """
      SELECT \(Self.columns(for: viewer)) FROM posts p \(Self.joins)
      WHERE p.id IN \(IDList(ids)) AND \(PostVisibility.open)
        AND \(PostVisibility.isNotBlocked(for: viewer.couple?.id))
      """, make: Post.init)
  }
}
