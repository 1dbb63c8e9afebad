import Core
import Web

/// `/api/v1/groups/{id}/sharing` and `location`: sharing the user's location.
struct SharingAPI {
  private let services: GroupsEnvironment

  private var service: PlaceSharingService { PlaceSharingService(services: services) }

  init(_ services: GroupsEnvironment) {
    self.services = services
  }

  var routes: [Route] {
    [
      .api(
        .put, "\(GroupAPIRoutes.group)/sharing", .atLeast(.guest),
        Operation("Start or stop sharing your location", .groups, errors: [.groupClosed]),
        options: .noStore, handler: share),
      .api(
        .put, "\(GroupAPIRoutes.group)/location", .atLeast(.guest),
        Operation(
          "Send your location", .groups,
          note: """
            Only the latest location is stored. A location that arrives less than 5 s after the \
            previous one, or is older than it, is silently ignored.
            """,
          errors: [.groupClosed, .sharingOff]),
        handler: put),
    ]
  }

  @Sendable private func share(
    _ input: SharingRequest, _ context: Context
  ) throws -> SharingResponse {
    SharingResponse(
      until: try service.set(input.isOn, in: context.id(), by: context.signedIn(), now: context.now)
    )
  }

  @Sendable private func put(_ input: PlaceRequest, _ context: Context) throws -> NoContent {
    let place = MemberPlace(
      position: try input.position(), accuracy: input.accuracy, at: input.at ?? context.now)
    try service.put(place, in: context.id(), by: context.signedIn(), now: context.now)
    return NoContent()
  }
}
