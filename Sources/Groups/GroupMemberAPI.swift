import Core
import Web

/// `/api/v1/groups/{id}/members…`, `leave`, `lead` and `commands`: the members of a group and their
/// calls.
struct GroupMemberAPI {
  private let services: GroupsEnvironment

  private var service: GroupService { GroupService(services: services) }
  private var records: GroupResponseBuilder { GroupResponseBuilder(services: services) }

  init(_ services: GroupsEnvironment) {
    self.services = services
  }

  var routes: [Route] {
    [
      .api(
        .post, "\(GroupAPIRoutes.group)/leave", .atLeast(.guest),
        Operation(
          "Leave a group", .groups,
          note: """
            If the leader leaves, the longest-standing member becomes leader. When the last member \
            leaves, the group closes.
            """),
        handler: leave),
      .api(
        .post, "\(GroupAPIRoutes.group)/lead", .atLeast(.guest),
        Operation("Transfer the leadership", .groups, errors: GroupAPIRoutes.leaders + [.conflict]),
        options: .noStore, handler: lead),
      .api(
        .delete, "\(GroupAPIRoutes.group)/members/:user_id", .atLeast(.guest),
        Operation(
          "Remove a member", .groups,
          note: """
            They cannot rejoin until they are allowed again. To keep them from rejoining with \
            another account, create a new code too.
            """,
          errors: GroupAPIRoutes.leaders + [.conflict]),
        options: .closedToSuspended, handler: remove),
      .api(
        .post, "\(GroupAPIRoutes.group)/members/:user_id/allow", .atLeast(.guest),
        Operation("Allow a removed member to rejoin", .groups, errors: GroupAPIRoutes.leaders),
        options: .closedToSuspended, handler: allow),
      .api(
        .post, "\(GroupAPIRoutes.group)/commands", .atLeast(.guest),
        Operation(
          "Send a command to all other members", .groups,
          errors: GroupAPIRoutes.leaders + [.suspended]),
        options: [.noStore, .idempotent], handler: call),
    ]
  }

  @Sendable private func leave(_ context: Context) throws -> NoContent {
    try service.leave(context.id(), by: context.signedIn(), now: context.now)
    return NoContent()
  }

  @Sendable private func lead(_ input: NewLeaderRequest, _ context: Context) throws -> GroupResponse
  {
    let id: ID<Group> = try context.id()
    guard let person = input.person else { throw Problem.notFound }
    try service.handOver(id, to: person, by: context.signedIn(), now: context.now)
    return try records.record(id, context)
  }

  @Sendable private func remove(_ context: Context) throws -> NoContent {
    try service.remove(
      context.id("user_id"), from: context.id(), renewsCode: false, by: context.signedIn(),
      now: context.now)
    return NoContent()
  }

  @Sendable private func allow(_ context: Context) throws -> NoContent {
    try service.allow(
      context.id("user_id"), into: context.id(), by: context.signedIn(), now: context.now)
    return NoContent()
  }

  @Sendable private func call(
    _ input: CommandRequest, _ context: Context
  ) throws -> Created<GroupEventResponse> {
    let note = input.note?.asOneLine
    guard GroupRules.noteLimits.allow(note ?? "") else {
      throw Problem.invalid(["note": FieldError("groups.error_note")])
    }
    try services.admit(input.event, context)
    return try context.answering(
      {
        try service.call(
          input.event, note: note, in: context.id(), by: context.signedIn(), now: context.now)
      }, { Created(GroupEventResponse($0)) })
  }
}
