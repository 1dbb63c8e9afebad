import Accounts
import Core
import Database
import Live
import Web

/// The channels by which open feeds hear of new posts (docs/developer/feed.md#new-posts).
enum FeedChannels {
  /// The maximum number of followers' users that hear of a post for followers at once. Others see it
  /// when they next load the feed.
  private static let maximumListeners = 500

  /// The channel of public posts.
  static func everyone() throws -> LiveChannel { try channel("feed") }

  /// The channel of posts that not all users may see.
  static func person(_ person: ID<Person>) throws -> LiveChannel { try channel("feed.\(person)") }

  /// Notifies those who may see a new post. The event has only a number.
  static func notify(
    _ visibility: Visibility, of couple: ID<Couple>, now: Instant, in writer: WriteTransaction
  ) throws {
    let channels =
      switch visibility {
      case .everyone: [try everyone()]
      case .couple: try CoupleMembers.all(of: couple, in: writer).map(person)
      case .followers:
        try
          (CoupleMembers.all(of: couple, in: writer)
          + FollowStore.people(following: couple, limit: maximumListeners, in: writer)).map(person)
      }
    for channel in channels {
      try LiveOutbox.notify(Int(now.milliseconds), to: channel, now: now, in: writer)
    }
  }

  private static func channel(_ name: String) throws -> LiveChannel {
    guard let channel = LiveChannel(name) else { throw Problem.internalError }
    return channel
  }
}

/// `GET /api/v1/posts/events`: authorizes the request, and leaves the stream to nginx.
struct FeedStreamAPI {
  var route: Route {
    .api(
      .get, "/posts/events", .atLeast(.guest),
      Operation(
        "Stream news of the feed", .posts,
        note: """
          Server-sent events: `event: posts` with the data `{"version": 1767225600000}` when there \
          may be a new post for this user, and `event: ping` every 25 s. The stream never contains \
          the posts: get them from `GET /posts`. Streams end from time to time: reconnect. Without \
          `Accept: text/event-stream`, the stream ends immediately after one event. 503 if the \
          server does not support streams: poll instead.
          """,
        errors: [.unavailable]),
      answers: [.init(.ok, "An event stream.", contentType: EventStream.type)],
      options: .noStore
    ) { context in
      guard EventStream.isAccepted(by: context.request) else {
        return EventStream.single("posts", version: Int(context.now.milliseconds))
      }
      return .liveStream(
        LiveChannel.stream(
          try FeedChannels.everyone(), try FeedChannels.person(context.signedIn().id)))
    }
  }
}
