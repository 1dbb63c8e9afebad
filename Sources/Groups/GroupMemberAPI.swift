import Accounts
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
            A leader's place is taken by who has been in it longest; with the last one it closes.
            """),
        handler: leave),
      .api(
        .post, "\(GroupAPIRoutes.group)/lead", .atLeast(.guest),
        Operation("Hand over the lead", .groups, errors: GroupAPIRoutes.leaders + [.conflict]),
        options: .noStore, handler: lead),
      .api(
        .delete, "\(GroupAPIRoutes.group)/members/:user_id", .atLeast(.guest),
        Operation(
          "Remove a member", .groups,
          note: """
            They stay out until they are allowed again. So that they don't come under another name, \
            make a new code too.
            """,
          errors: GroupAPIRoutes.leaders + [.conflict]),
        options: .closedToSuspended, handler: remove),
      .api(
        .post, "\(GroupAPIRoutes.group)/members/:user_id/allow", .atLeast(.guest),
        Operation("Allow somebody again who was removed", .groups, errors: GroupAPIRoutes.leaders),
        options: .closedToSuspended, handler: allow),
      .api(
        .post, "\(GroupAPIRoutes.group)/commands", .atLeast(.guest),
        Operation(
          "Call out to all the others", .groups, errors: GroupAPIRoutes.leaders + [.suspended]),
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
