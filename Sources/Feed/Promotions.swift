import Accounts
import Basics
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

/// Which posts stand at the top of the feed: the wallet's business, which this room doesn't know
/// (architecture.md, "Rooms").
public protocol Promotions: Sendable {
  /// Those that run, in the order of this minute. Nothing is written by asking.
  func running(now: Instant, in reader: Reader) throws -> [FeedPromotion]
}

extension FeedServices {
  /// The same posts, each with the end of its promotion.
  func marked(_ posts: [Post], now: Instant) throws -> [Post] {
    let running = try site.database.read { try promotions.running(now: now, in: $0) }
    guard !running.isEmpty else { return posts }
    let ends = Dictionary(running.map { ($0.post, $0.until) }) { $1 }
    return posts.map {
      var post = $0
      post.promotedUntil = ends[post.id]
      return post
    }
  }
}

/// The first page of "Everyone": up to three promoted posts, then the newest, and none of them
/// twice (wallet.md, "Feed").
struct FirstPage {
  private static let mostPromoted = 3

  let services: FeedServices

  /// At most `size` posts that this viewer may see; `last` is the one that older ones come behind,
  /// nil when there are none.
  func find(
    for viewer: Viewer, size: Int, now: Instant
  ) throws -> (posts: [Post], last: Post?) {
    var running: [FeedPromotion] = []
    // One more than a page shows whether there are older ones.
    let newest = try services.posts.everyone(for: viewer, after: .start, limit: size + 1) {
      running = try services.promotions.running(now: now, in: $0)
    }
    // At least one of the others stands on each page, for the next one to begin behind.
    let places = min(Self.mostPromoted, size - 1)
    guard !running.isEmpty, places > 0 else {
      let shown = Array(newest.prefix(size))
      return (shown, newest.count > size ? shown.last : nil)
    }
    let promoted = try services.posts.promoted(running, for: viewer, most: places)
    let others = newest.filter { post in !promoted.contains { $0.id == post.id } }
    let shown = others.prefix(size - promoted.count)
    return (promoted + shown, others.count > shown.count ? shown.last : nil)
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
    _ ids: [ID<Post>], for viewer: Viewer, in reader: Reader
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
      WHERE p.id IN (\(places)) AND p.visibility = 'public' AND p.deleted_at IS NULL
        AND p.hidden_at IS NULL
        AND EXISTS (SELECT 1 FROM couples_open k WHERE k.id = p.couple_id)
        AND NOT EXISTS (
          SELECT 1 FROM couples_apart a WHERE a.one_id = p.couple_id AND a.other_id = ?)
      """
  }()
}
