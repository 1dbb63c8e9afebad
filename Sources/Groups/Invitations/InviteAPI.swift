import Accounts
import Core
import HTTPTypes
import QRCode
import Web

/// `/api/v1/groups/join` and `/api/v1/groups/{id}/invite…`: the code to join a group.
struct InviteAPI {
  private let services: GroupsEnvironment

  private var records: GroupResponseBuilder { GroupResponseBuilder(services: services) }

  init(_ services: GroupsEnvironment) {
    self.services = services
  }

  var routes: [Route] {
    let errors: [APIErrorCode] = [.forbidden, .groupClosed]
    return [
      .api(
        .post, "/groups/join", .atLeast(.guest),
        Operation(
          "Join a group", .groups, note: "If you are already a member, the group is returned.",
          errors: [.notFound, .inviteExpired, .groupClosed, .removedFromGroup, .groupFull]),
        options: .noStore, handler: join),
      .api(
        .post, "\(GroupAPIRoutes.group)/invite", .atLeast(.guest),
        Operation(
          "Create a new code", .groups, note: "The old code becomes invalid immediately.",
          errors: GroupAPIRoutes.leaders),
        // No response is stored for replays: locations are stored only where they are deleted in
        // time.
        options: [.noStore, .closedToSuspended], handler: renew),
      .api(
        .get, "\(GroupAPIRoutes.group)/invite.svg", .atLeast(.guest),
        Operation("Get the QR code as SVG", .groups, errors: errors),
        answers: [.init(.ok, "The QR code.", contentType: "image/svg+xml")], options: .noStore
      ) { context in
        try picture(context, type: "image/svg+xml") { Array($0.svg.utf8) }
      },
      .api(
        .get, "\(GroupAPIRoutes.group)/invite.png", .atLeast(.guest),
        Operation("Get the QR code as PNG", .groups, errors: errors),
        answers: [.init(.ok, "The QR code.", contentType: "image/png")], options: .noStore
      ) { context in
        try picture(context, type: "image/png") { $0.png(scale: 10) }
      },
    ]
  }

  @Sendable private func join(_ input: JoinRequest, _ context: Context) throws -> GroupResponse {
    let viewer = try context.signedIn()
    let entered = InviteLinkParser(input.code).code
    if entered.asOneLine.isEmpty {
      throw Problem.invalid(["code": FieldError("join.error_empty")])
    }
    var errors: [String: FieldError] = [:]
    let name = input.displayName.map {
      AccountRules.name(
        $0, limits: AccountRules.displayNameLimits, field: "display_name", &errors)
    }
    guard errors.isEmpty else { throw Problem.invalid(errors) }
    // An invalid code is treated like an unknown one.
    guard let code = InviteCode(entered) else { throw Problem.notFound }
    let service = JoinService(services: services)
    var found = try service.find(
      code, for: viewer, from: context.address, now: context.now)
    if case .open = found {
      found = try service.join(
        code, as: viewer.id, calling: viewer.role == .guest ? name : nil, now: context.now)
    }
    switch found {
    case .open(let group), .member(let group): return try records.record(group.id, context)
    case .refused(let reason): throw Problem(reason.code)
    }
  }

  @Sendable private func renew(_ context: Context) throws -> GroupResponse {
    let id: ID<Group> = try context.id()
    try GroupService(services: services).renewCode(of: id, by: context.signedIn(), now: context.now)
    return try records.record(id, context)
  }

  private func picture(
    _ context: Context, type: String, _ draw: (QRCode) -> [UInt8]
  ) throws -> Response {
    let group = try services.invitingGroup(context)
    guard let invitation = group.code else { throw Problem.notFound }
    let link = context.site.baseURL + GroupsLinks.join(invitation.linkCode, name: group.name)
    return Response(.ok, headers: [.contentType: type], body: draw(try QRCode(link)))
  }
}
