import Basics
import Web

/// `/api/v1/groups/{id}/sharing` and `location`: where somebody is.
struct SharingAPI {
  private let services: GroupServices

  private var desk: SharingDesk { SharingDesk(services: services) }

  init(_ services: GroupServices) {
    self.services = services
  }

  var routes: [Route] {
    [
      .api(
        .put, "\(GroupAPIRoutes.group)/sharing", .atLeast(.guest),
        Operation("Share your place, or no longer", .groups, errors: [.groupClosed]),
        options: .noStore, handler: share),
      .api(
        .put, "\(GroupAPIRoutes.group)/location", .atLeast(.guest),
        Operation(
          "Say where you are", .groups,
          note: """
            Only the last place is kept. One that comes less than 5 s after the one before, or is \
            older, is quietly left aside.
            """,
          errors: [.groupClosed, .sharingOff]),
        handler: put),
    ]
  }

  @Sendable private func share(
    _ input: SharingInput, _ context: Context
  ) throws -> SharingRecord {
    SharingRecord(
      until: try desk.set(input.isOn, in: context.id(), by: context.signedIn(), now: context.now))
  }

  @Sendable private func put(_ input: PlaceInput, _ context: Context) throws -> Done {
    let place = MemberPlace(
      position: try input.position(), accuracy: input.accuracy, at: input.at ?? context.now)
    try desk.put(place, in: context.id(), by: context.signedIn(), now: context.now)
    return Done()
  }
}
