import Core
import Web

/// `/api/v1/groups/{id}/waypoints…`: the waypoints of a group.
struct WaypointAPI {
  private let services: GroupsEnvironment

  private var service: WaypointService { WaypointService(services: services) }

  init(_ services: GroupsEnvironment) {
    self.services = services
  }

  var routes: [Route] {
    let waypoints = "\(GroupAPIRoutes.group)/waypoints"
    return [
      .api(
        .post, waypoints, .atLeast(.guest),
        Operation(
          "Add a waypoint", .groups, note: "At most \(GroupRules.maximumWaypoints).",
          errors: GroupAPIRoutes.leaders + [.limitReached]),
        options: [.noStore, .idempotent, .closedToSuspended], handler: addWaypoint),
      .api(
        .put, "\(waypoints)/:waypoint_id/active", .atLeast(.guest),
        Operation("Activate a waypoint", .groups, errors: GroupAPIRoutes.leaders),
        options: .closedToSuspended, handler: activate),
      .api(
        .delete, "\(waypoints)/:waypoint_id/active", .atLeast(.guest),
        Operation("Deactivate the active waypoint", .groups, errors: GroupAPIRoutes.leaders),
        options: .closedToSuspended, handler: deactivate),
      .api(
        .delete, "\(waypoints)/:waypoint_id", .atLeast(.guest),
        Operation("Remove a waypoint", .groups, errors: GroupAPIRoutes.leaders),
        options: .closedToSuspended, handler: removeWaypoint),
    ]
  }

  @Sendable private func addWaypoint(
    _ input: WaypointRequest, _ context: Context
  ) throws -> Created<WaypointResponse> {
    let name = try GroupService.name(input.name)
    guard
      let position = Position(latitude: input.latitude, longitude: input.longitude)
    else { throw Problem.invalid(PlaceRequest.wrong(input.latitude, input.longitude)) }
    return try context.answering(
      {
        try service.add(
          name, at: position, to: context.id(), by: context.signedIn(), now: context.now)
      }, { Created(WaypointResponse($0)) })
  }

  @Sendable private func activate(_ context: Context) throws -> NoContent {
    try service.activate(
      context.id("waypoint_id"), in: context.id(), by: context.signedIn(), now: context.now)
    return NoContent()
  }

  @Sendable private func deactivate(_ context: Context) throws -> NoContent {
    try service.deactivate(
      context.id("waypoint_id"), in: context.id(), by: context.signedIn(), now: context.now)
    return NoContent()
  }

  @Sendable private func removeWaypoint(_ context: Context) throws -> NoContent {
    try service.remove(
      context.id("waypoint_id"), from: context.id(), by: context.signedIn(), now: context.now)
    return NoContent()
  }
}
