import Core
import Web

/// `/api/v1/groups`: the user's groups, and a group's own data.
struct GroupAPI {
  private let services: GroupsEnvironment

  private var service: GroupService { GroupService(services: services) }
  private var records: GroupResponseBuilder { GroupResponseBuilder(services: services) }

  init(_ services: GroupsEnvironment) {
    self.services = services
  }

  var routes: [Route] {
    [
      .api(
        .post, "/groups", .atLeast(.guest),
        Operation("Create a group", .groups, note: "The creator becomes the leader."),
        options: [.noStore, .idempotent, .closedToSuspended], handler: make),
      .api(
        .get, "/groups", .atLeast(.guest), Operation("List your groups", .groups),
        options: .noStore, handler: list),
      .api(
        .get, GroupAPIRoutes.group, .atLeast(.guest),
        Operation(
          "Get a group", .groups,
          note: """
            Use `since` to catch up after a break: send the last known version to get the current \
            state and the events since then, at most the latest \(GroupRules.maximumEvents).
            """),
        options: .noStore, handler: show),
      .api(
        .patch, GroupAPIRoutes.group, .atLeast(.guest),
        Operation(
          "Rename a group, or change who may join", .groups, errors: GroupAPIRoutes.leaders),
        options: [.noStore, .closedToSuspended], handler: change),
      .api(
        .post, "\(GroupAPIRoutes.group)/close", .atLeast(.guest),
        Operation("Close a group", .groups, errors: GroupAPIRoutes.leaders), options: .noStore,
        handler: close),
    ]
  }

  @Sendable private func list(_ context: Context) throws -> GroupListResponse {
    GroupListResponse(groups: try records.all(of: context.signedIn().id, now: context.now))
  }

  @Sendable private func make(
    _ input: NewGroupRequest, _ context: Context
  ) throws -> Created<GroupResponse> {
    let name = try GroupService.name(input.name)
    let id = try context.making(
      { try service.make(name, by: context.signedIn(), now: context.now) },
      name: { (id: ID<Group>) in id.description }, read: { ID<Group>($0) })
    return Created(try records.record(id, context))
  }

  @Sendable private func show(_ query: GroupQuery, _ context: Context) throws
    -> ConditionalGroupResponse
  {
    let (viewer, id): (Viewer, ID<Group>) = (try context.signedIn(), try context.id())
    return try services.site.database.read { reader in
      if let since = query.since,
        try !services.store.isNew(id, since: since, to: viewer, in: reader)
      {
        return .unchanged
      }
      guard let group = try services.store.visible(id, to: viewer.id, in: reader) else {
        throw Problem.notFound
      }
      let events =
        if let since = query.since {
          try services.store.events(of: id, after: since, in: reader)
        } else {
          Array(
            try services.store.latestEvents(of: id, maximum: GroupRules.logPageSize, in: reader)
              .reversed())
        }
      return .group(try records.record(group, events: events, now: context.now, in: reader))
    }
  }

  @Sendable private func change(
    _ input: GroupChangeRequest, _ context: Context
  ) throws -> GroupResponse {
    let (viewer, id): (Viewer, ID<Group>) = (try context.signedIn(), try context.id())
    // The role is checked first, so that only the leader sees errors in the name.
    _ = try services.openLedGroup(context)
    let name = try input.name.map { try GroupService.name($0) }
    try service.set(
      .init(name: name, mayJoin: input.mayJoin, membersInvite: input.membersInvite), of: id,
      by: viewer, now: context.now)
    return try records.record(id, context)
  }

  @Sendable private func close(_ context: Context) throws -> GroupResponse {
    let id: ID<Group> = try context.id()
    try service.close(id, by: context.signedIn(), now: context.now)
    return try records.record(id, context)
  }
}
