import Core
import Database
import Live
import Web

/// The live streams of a group: each member listens to the group's channel and to a channel of
/// their own, so that ending the stream of a member who has left ends no other
/// (docs/developer/groups.md#in-the-group).
enum GroupChannels {
  // Names of hexadecimal digits, hyphens and dots are always valid.
  static func group(_ id: ID<Group>) throws -> LiveChannel { try channel("g.\(id)") }

  static func member(_ person: ID<Person>, of id: ID<Group>) throws -> LiveChannel {
    try channel("m.\(id).\(person)")
  }

  private static func channel(_ name: String) throws -> LiveChannel {
    guard let channel = LiveChannel(name) else { throw Problem.internalError }
    return channel
  }
}

/// Notifies the streams through the outbox, without blocking.
public struct LiveGroupNotifier: GroupObserver {
  public init() {}

  public func changed(
    _ group: ID<Group>, to version: Int, now: Instant, in writer: WriteTransaction
  ) throws {
    try LiveOutbox.notify(version, to: GroupChannels.group(group), now: now, in: writer)
  }

  public func parted(
    _ person: ID<Person>, from group: ID<Group>, now: Instant, in writer: WriteTransaction
  ) throws {
    try LiveOutbox.cut(GroupChannels.member(person, of: group), now: now, in: writer)
  }

  public func logged(
    _ event: GroupNoticeEvent, in group: GroupSummary, to others: [ID<Person>], now: Instant,
    in writer: WriteTransaction
  ) throws {
    // Viewers of the group get its version.
  }
}

/// `GET /api/v1/groups/{id}/events`: authorizes the request, and leaves the stream to nginx.
struct GroupStreamAPI {
  let services: GroupsEnvironment

  var route: Route {
    .api(
      .get, "/groups/:id/events", .atLeast(.guest),
      Operation(
        "Stream changes of a group", .groups,
        note: """
          Server-sent events: `event: group` with the data `{"version": 12}` when there is a newer \
          version, and `event: ping` every 25 s. The stream never contains the changes themselves, \
          in particular no locations: get them from `GET /groups/{id}?since=`. Call that when a \
          stream starts, too, because earlier changes are not sent. The stream ends when the \
          member leaves or is removed. Other streams also end from time to time: reconnect. \
          Without `Accept: text/event-stream`, the stream ends immediately after the newest \
          version. 503 if the server does not support streams: poll instead.
          """,
        errors: [.notFound, .groupClosed, .unavailable]),
      answers: [.init(.ok, "An event stream.", contentType: EventStream.type)],
      options: .noStore
    ) { context in
      let group = try services.group(context)
      guard group.isOpen else { throw Problem(.groupClosed) }
      guard EventStream.isAccepted(by: context.request) else {
        return EventStream.single("group", version: group.version)
      }
      return .liveStream(
        LiveChannel.stream(
          try GroupChannels.group(group.id),
          try GroupChannels.member(context.signedIn().id, of: group.id)))
    }
  }
}

extension GroupsModule {
  /// The routes of the live page besides the page itself.
  var liveRoutes: [Route] {
    [
      GroupStreamAPI(services: services).route
    ]
  }
}
