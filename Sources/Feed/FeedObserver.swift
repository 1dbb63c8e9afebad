import Core
import Database

/// Observes events of the feed, for example to send notices.
///
/// All methods run inside the transaction of the change, so their writes are committed or rolled
/// back with it. They must not block. The observer itself checks whether a recipient may be
/// notified (blocks, settings).
public protocol FeedObserver: Sendable {
  /// A couple has published a post; `text` is "" for a post with pictures only.
  func posted(
    _ post: ID<Post>, text: String, by author: ID<Person>, of couple: ID<Couple>, now: Instant,
    in writer: WriteTransaction) throws
  /// A user likes a post for the first time.
  func liked(
    _ post: ID<Post>, of author: ID<Person>, by person: ID<Person>, now: Instant,
    in writer: WriteTransaction) throws
  func unliked(_ post: ID<Post>, by person: ID<Person>, in writer: WriteTransaction) throws
  /// A user has commented on a post; `others` are the authors of its latest comments who still see
  /// it.
  func commented(
    on post: Post, by person: ID<Person>, others: [ID<Person>], now: Instant,
    in writer: WriteTransaction) throws
  /// Others see no comments of this user on a post any more.
  func uncommented(_ post: ID<Post>, by person: ID<Person>, in writer: WriteTransaction) throws
  /// A post was deleted by its author or removed by a moderator.
  func postDeleted(_ post: ID<Post>, in writer: WriteTransaction) throws
  /// `person` made the couple `follower` follow another couple that it did not follow before.
  func followed(
    _ couple: ID<Couple>, by person: ID<Person>, as follower: ID<Couple>, now: Instant,
    in writer: WriteTransaction) throws
  func unfollowed(_ couple: ID<Couple>, by follower: ID<Couple>, in writer: WriteTransaction) throws
  /// A couple has blocked another one, which it may have blocked before.
  func blocked(
    _ couple: ID<Couple>, by blocker: ID<Couple>, now: Instant, in writer: WriteTransaction) throws
}

/// An observer that does nothing.
public struct NoFeedObserver: FeedObserver {
  public init() {}

  public func posted(
    _ post: ID<Post>, text: String, by author: ID<Person>, of couple: ID<Couple>, now: Instant,
    in writer: WriteTransaction
  ) throws {}

  public func liked(
    _ post: ID<Post>, of author: ID<Person>, by person: ID<Person>, now: Instant,
    in writer: WriteTransaction
  ) throws {}

  public func unliked(_ post: ID<Post>, by person: ID<Person>, in writer: WriteTransaction) throws {
  }

  public func commented(
    on post: Post, by person: ID<Person>, others: [ID<Person>], now: Instant,
    in writer: WriteTransaction
  ) throws {}

  public func uncommented(
    _ post: ID<Post>, by person: ID<Person>, in writer: WriteTransaction
  ) throws {}

  public func postDeleted(_ post: ID<Post>, in writer: WriteTransaction) throws {}

  public func followed(
    _ couple: ID<Couple>, by person: ID<Person>, as follower: ID<Couple>, now: Instant,
    in writer: WriteTransaction
  ) throws {}

  public func unfollowed(
    _ couple: ID<Couple>, by follower: ID<Couple>, in writer: WriteTransaction
  ) throws {}

  public func blocked(
    _ couple: ID<Couple>, by blocker: ID<Couple>, now: Instant, in writer: WriteTransaction
  ) throws {}
}
