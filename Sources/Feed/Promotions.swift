import Accounts
import Core
import Database

/// A post that is promoted at a moment.
public struct FeedPromotion: Sendable {
  public let post: ID<Post>
  public let until: Instant

  public init(post: ID<Post>, until: Instant) {
    self.post = post
    self.until = until
  }
}

/// All that run at a moment, in the order of its minute. Put together once for all pages of it:
/// there may be thousands, and a page shows three.
public final class FeedPromotionRotation: Sendable {
  public static let none = FeedPromotionRotation([])

  public let promotions: [FeedPromotion]
  /// Until when each of them is promoted.
  public let ends: [ID<Post>: Instant]

  public init(_ promotions: [FeedPromotion]) {
    self.promotions = promotions
    ends = Dictionary(promotions.map { ($0.post, $0.until) }) { $1 }
  }
}

/// Which posts stand at the top of the feed: the wallet's business, which this module doesn't know
/// (docs/developer/architecture.md#modules).
public protocol Promotions: Sendable {
  /// Those that run, in the order of this minute. Nothing is written by asking.
  func running(now: Instant, in reader: ReadTransaction) throws -> FeedPromotionRotation

  /// Until when each of these posts is promoted, in one question for all; those that aren't at this
  /// moment are left out.
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

/// The first page of "Everyone": up to three promoted posts, then the newest, and none of them
/// twice (docs/developer/wallet.md#feed).
struct FeedFirstPage {
  private static let mostPromoted = 3

  /// What stands on it.
  struct PageContents {
    let posts: [Post]
    /// The one that older ones come behind; nil when there are none.
    let last: Post?
    /// Everything that is promoted at this moment, with the end of it.
    let ends: [ID<Post>: Instant]
  }

  let services: FeedEnvironment

  /// At most `size` posts that this viewer may see; two at least.
  func find(for viewer: Viewer, size: Int, now: Instant) throws -> PageContents {
    var running = FeedPromotionRotation.none
    // One more than a page shows whether there are older ones.
    let newest = try services.posts.everyone(for: viewer, after: .start, limit: size + 1) {
      running = try services.promotions.running(now: now, in: $0)
    }
    // At least one of the others stands on each page, for the next one to begin behind.
    let places = min(Self.mostPromoted, size - 1)
    guard !running.promotions.isEmpty else {
      let shown = Array(newest.prefix(size))
      return PageContents(posts: shown, last: newest.count > size ? shown.last : nil, ends: [:])
    }
    let promoted = try services.posts.promoted(
      running.promotions, for: viewer, most: places)
    let others = newest.filter { post in !promoted.contains { $0.id == post.id } }
    let shown = others.prefix(size - promoted.count)
    return PageContents(
      posts: promoted + shown, last: others.count > shown.count ? shown.last : nil,
      ends: running.ends)
  }
}

extension PostStore {
  /// How many promotions are looked at in one go: more than three, since some may be of couples
  /// that this viewer keeps away from.
  private static let atOnce = 12

  /// The first of these promotions that "Everyone" may show this viewer, in their order.
  func promoted(
    _ running: [FeedPromotion], for viewer: Viewer, most: Int
  ) throws -> [Post] {
    try database.read { reader in
      var found: [Post] = []
      for start in stride(from: 0, to: running.count, by: Self.atOnce) {
        let some = running[start..<min(start + Self.atOnce, running.count)]
        let posts = try open(some.map(\.post), for: viewer, in: reader)
        for promotion in some where found.count < most {
          guard var post = posts.first(where: { $0.id == promotion.post }) else { continue }
          post.promotedUntil = promotion.until
          found.append(post)
        }
        if found.count == most { break }
      }
      return try withPictures(found, reader)
    }
  }

  private func open(
    _ ids: [ID<Post>], for viewer: Viewer, in reader: ReadTransaction
  ) throws -> [Post] {
    // One statement for every number of posts: places that are left over ask for nothing.
    let padding = [ID<Post>?](repeating: nil, count: Self.atOnce - ids.count)
    let values: [any Bindable] =
      [viewer.id as ID<Person>?] + ids.map { $0 as ID<Post>? } + padding + [viewer.couple?.id]
    return try reader.rows(Self.openOnes, values: values, make: Self.post)
  }

  private static let openOnes = {
    let places = [String](repeating: "?", count: atOnce).joined(separator: ", ")
    return """
      SELECT \(columns) FROM posts p \(joins)
      WHERE p.id IN (\(places)) AND \(open)
        AND NOT EXISTS (
          SELECT 1 FROM couples_apart a WHERE a.one_id = p.couple_id AND a.other_id = ?)
      """
  }()
}
