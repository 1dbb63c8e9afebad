import Core
import Database

/// Who wants to know what people do in the feed: whoever tells others of it.
///
/// All are called inside the transaction that makes the change, so what they write is kept or undone
/// with it. They must not wait for anybody. Whether somebody may hear of it (blocks, what they chose)
/// is theirs to judge.
public protocol FeedObserver: Sendable {
  /// A couple has a new post; `words` are "" for pictures alone.
  func posted(
    _ post: ID<Post>, words: String, by author: ID<Person>, of couple: ID<Couple>, now: Instant,
    in writer: WriteTransaction) throws
  /// Somebody likes a post who did not before.
  func liked(
    _ post: ID<Post>, of author: ID<Person>, by person: ID<Person>, now: Instant,
    in writer: WriteTransaction) throws
  func unliked(_ post: ID<Post>, by person: ID<Person>, in writer: WriteTransaction) throws
  /// A post was deleted by its author or removed by a moderator.
  func gone(_ post: ID<Post>, in writer: WriteTransaction) throws
  /// Somebody made `follower` follow a couple that it did not before.
  func followed(
    _ couple: ID<Couple>, by person: ID<Person>, as follower: ID<Couple>, now: Instant,
    in writer: WriteTransaction) throws
  func unfollowed(_ couple: ID<Couple>, by follower: ID<Couple>, in writer: WriteTransaction) throws
}

/// Nobody is told.
public struct NoFeedObserver: FeedObserver {
  public init() {}

  public func posted(
    _ post: ID<Post>, words: String, by author: ID<Person>, of couple: ID<Couple>, now: Instant,
    in writer: WriteTransaction
  ) throws {}

  public func liked(
    _ post: ID<Post>, of author: ID<Person>, by person: ID<Person>, now: Instant,
    in writer: WriteTransaction
  ) throws {}

  public func unliked(_ post: ID<Post>, by person: ID<Person>, in writer: WriteTransaction) throws {
  }

  public func gone(_ post: ID<Post>, in writer: WriteTransaction) throws {}

  public func followed(
    _ couple: ID<Couple>, by person: ID<Person>, as follower: ID<Couple>, now: Instant,
    in writer: WriteTransaction
  ) throws {}

  public func unfollowed(
    _ couple: ID<Couple>, by follower: ID<Couple>, in writer: WriteTransaction
  ) throws {}
}
