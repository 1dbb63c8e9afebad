import Accounts
import CheckIn
import Core
import Database
import Feed
import Messages
import Notices

/// Turns feed events into notices, and posts into signs of life.
struct FeedNotifier: FeedObserver {
  let board: NoticeService
  let signs: SignService
  let messages: ConversationUpdates

  func posted(
    _ post: ID<Post>, text: String, by author: ID<Person>, of couple: ID<Couple>, now: Instant,
    in writer: WriteTransaction
  ) throws {
    try signs.noticed(.post, of: author, now: now, in: writer)
    try board.notify(
      CoupleMembers.all(of: couple, in: writer),
      NewNotice(
        .partnerPosted, subject: post.bytes, actor: author,
        detail: NewNotice.excerpt(text), path: FeedLinks.post(post)),
      now: now, in: writer)
  }

  func liked(
    _ post: ID<Post>, of author: ID<Person>, by person: ID<Person>, now: Instant,
    in writer: WriteTransaction
  ) throws {
    try board.notify(
      author,
      NewNotice(.postLiked, subject: post.bytes, actor: person, path: FeedLinks.post(post)),
      now: now, in: writer)
  }

  func unliked(_ post: ID<Post>, by person: ID<Person>, in writer: WriteTransaction) throws {
    try board.retract(.postLiked, subject: post.bytes, by: person, in: writer)
  }

  func commented(
    on post: Post, by person: ID<Person>, others: [ID<Person>], now: Instant,
    in writer: WriteTransaction
  ) throws {
    func notice(_ event: String) -> NewNotice {
      NewNotice(
        .postCommented, subject: post.id.bytes, actor: person, event: event,
        path: FeedLinks.post(post.id))
    }
    let own = Set(try CoupleMembers.all(of: post.couple, in: writer) + [post.author])
    try board.notify(Array(own), notice(""), now: now, in: writer)
    let further = others.filter { !own.contains($0) }
    try board.notify(further, notice("also"), now: now, in: writer)
  }

  func uncommented(_ post: ID<Post>, by person: ID<Person>, in writer: WriteTransaction) throws {
    try board.retract(.postCommented, subject: post.bytes, by: person, in: writer)
  }

  func postDeleted(_ post: ID<Post>, in writer: WriteTransaction) throws {
    try board.forget([.partnerPosted, .postLiked, .postCommented], subject: post.bytes, in: writer)
  }

  func followed(
    _ couple: ID<Couple>, by person: ID<Person>, as follower: ID<Couple>, now: Instant,
    in writer: WriteTransaction
  ) throws {
    try board.notify(
      CoupleMembers.all(of: couple, in: writer),
      NewNotice(
        .newFollower, subject: couple.bytes, actor: person, couple: follower,
        path: FeedLinks.couple(follower)),
      now: now, in: writer)
  }

  func unfollowed(_ couple: ID<Couple>, by follower: ID<Couple>, in writer: WriteTransaction) throws
  {
    // Either partner may have followed.
    for person in try CoupleMembers.all(of: follower, in: writer) {
      try board.retract(.newFollower, subject: couple.bytes, by: person, in: writer)
    }
  }

  func blocked(
    _ couple: ID<Couple>, by blocker: ID<Couple>, now: Instant, in writer: WriteTransaction
  ) throws {
    try messages.blocked(couple, blocker, now: now, in: writer)
  }
}
