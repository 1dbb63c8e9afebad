import Accounts
import Basics
import Database
import Feed
import Notices

/// What happens in the feed, as notices.
struct FeedNotices: FeedNews {
  let board: NoticeBoard

  func posted(
    _ post: ID<Post>, words: String, by author: ID<Person>, of couple: ID<Couple>, now: Instant,
    in writer: Writer
  ) throws {
    try board.tell(
      CouplePeople.all(of: couple, in: writer.reader),
      NewNotice(
        .partnerPosted, subject: post.bytes, actor: author,
        detail: NewNotice.excerpt(words), path: FeedLinks.post(post)),
      now: now, in: writer)
  }

  func liked(
    _ post: ID<Post>, of author: ID<Person>, by person: ID<Person>, now: Instant,
    in writer: Writer
  ) throws {
    try board.tell(
      author,
      NewNotice(.postLiked, subject: post.bytes, actor: person, path: FeedLinks.post(post)),
      now: now, in: writer)
  }

  func unliked(_ post: ID<Post>, by person: ID<Person>, in writer: Writer) throws {
    try board.takeBack(.postLiked, subject: post.bytes, by: person, in: writer)
  }

  func gone(_ post: ID<Post>, in writer: Writer) throws {
    try board.forget([.partnerPosted, .postLiked], subject: post.bytes, in: writer)
  }

  func followed(
    _ couple: ID<Couple>, by person: ID<Person>, as follower: ID<Couple>, now: Instant,
    in writer: Writer
  ) throws {
    try board.tell(
      CouplePeople.all(of: couple, in: writer.reader),
      NewNotice(
        .newFollower, subject: couple.bytes, actor: person, couple: follower,
        path: FeedLinks.couple(follower)),
      now: now, in: writer)
  }

  func unfollowed(_ couple: ID<Couple>, by follower: ID<Couple>, in writer: Writer) throws {
    // Either of the two may have begun it.
    for person in try CouplePeople.all(of: follower, in: writer.reader) {
      try board.takeBack(.newFollower, subject: couple.bytes, by: person, in: writer)
    }
  }
}
