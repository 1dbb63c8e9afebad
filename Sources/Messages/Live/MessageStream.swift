import Core
import Database
import Live
import Web

/// The channels by which open pages hear of messages (docs/developer/messages.md#live). Events have
/// numbers only.
enum MessageChannels {
  /// The channel of one conversation.
  static func conversation(_ id: ID<Conversation>) throws -> LiveChannel { try channel("c.\(id)") }

  /// The channel of a user's list of conversations.
  static func inbox(_ person: ID<Person>) throws -> LiveChannel { try channel("inbox.\(person)") }

  /// A channel without events, for a stream of the list alone: a stream has two channels.
  static func all() throws -> LiveChannel { try channel("inbox") }

  /// Tells the open pages of a conversation of its newest version.
  static func changed(
    _ id: ID<Conversation>, to version: Int, now: Instant, in writer: WriteTransaction
  ) throws {
    try LiveOutbox.notify(version, to: conversation(id), now: now, in: writer)
  }

  /// Tells users that their list has changed.
  static func inboxChanged(
    of people: [ID<Person>], now: Instant, in writer: WriteTransaction
  ) throws {
    for person in people {
      try LiveOutbox.notify(Int(now.milliseconds), to: inbox(person), now: now, in: writer)
    }
  }

  private static func channel(_ name: String) throws -> LiveChannel {
    guard let channel = LiveChannel(name) else { throw Problem.internalError }
    return channel
  }
}

/// `/api/v1/conversations/events` and `/conversations/{id}/events`: authorizes the request, and
/// leaves the stream to nginx.
struct MessageStreamAPI {
  let services: MessagesEnvironment

  var routes: [Route] {
    [
      .api(
        .get, "/conversations/events", .atLeast(.member),
        Operation(
          "Stream changes of your conversations", .messages,
          note: """
            Server-sent events: `event: inbox` with the data `{"version": 1767225600000}` when \
            your list of conversations or your unread count may have changed, and `event: ping` \
            every 25 s. The stream never contains messages: get them from `GET /conversations`. \
            Streams end from time to time: reconnect. Without `Accept: text/event-stream`, the \
            stream ends immediately after one event. 503 if the server does not support streams: \
            poll instead.
            """,
          errors: [.unavailable]),
        answers: [.init(.ok, "An event stream.", contentType: EventStream.type)],
        options: .noStore
      ) { context in
        let viewer = try context.signedIn()
        guard EventStream.isAccepted(by: context.request) else {
          return EventStream.single("inbox", version: Int(context.now.milliseconds))
        }
        return .liveStream(
          LiveChannel.stream(try MessageChannels.all(), try MessageChannels.inbox(viewer.id)))
      },
      .api(
        .get, "/conversations/:id/events", .atLeast(.member),
        Operation(
          "Stream changes of a conversation", .messages,
          note: """
            Server-sent events: `event: conversation` with the data `{"version": 12}` when there \
            is a newer version, `event: inbox` as in `GET /conversations/events`, and \
            `event: ping` every 25 s. The stream never contains messages: get the changes from \
            `GET /conversations/{id}/messages?after=`, also when a stream starts. Without \
            `Accept: text/event-stream`, the stream ends immediately after the newest version. 503 \
            if the server does not support streams: poll instead.
            """,
          errors: [.notFound, .unavailable]),
        answers: [.init(.ok, "An event stream.", contentType: EventStream.type)],
        options: .noStore
      ) { context in
        let viewer = try context.signedIn()
        let conversation = try MessageService(services: services).conversation(
          context.id(), for: viewer)
        guard EventStream.isAccepted(by: context.request) else {
          return EventStream.single("conversation", version: conversation.version)
        }
        return .liveStream(
          LiveChannel.stream(
            try MessageChannels.conversation(conversation.id),
            try MessageChannels.inbox(viewer.id)))
      },
    ]
  }
}
