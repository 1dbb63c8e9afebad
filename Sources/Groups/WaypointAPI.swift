import Basics
import Web

/// `/api/v1/groups/{id}/waypoints…`: where a group goes.
struct WaypointAPI {
  private let services: GroupServices

  private var desk: WaypointDesk { WaypointDesk(services: services) }

  init(_ services: GroupServices) {
    self.services = services
  }

  var routes: [Route] {
    let waypoints = "\(GroupAPIRoutes.group)/waypoints"
    return [
      .api(
        .post, waypoints, .atLeast(.guest),
        Operation(
          "Set a waypoint", .groups, note: "\(GroupRules.waypointsMost) are the most.",
          errors: GroupAPIRoutes.leaders + [.limitReached]),
        options: [.noStore, .idempotent, .closedToSuspended], handler: addWaypoint),
      .api(
        .put, "\(waypoints)/:waypoint_id/active", .atLeast(.guest),
        Operation("Make a waypoint the active one", .groups, errors: GroupAPIRoutes.leaders),
        options: .closedToSuspended, handler: activate),
      .api(
        .delete, "\(waypoints)/:waypoint_id/active", .atLeast(.guest),
        Operation("Go to no waypoint any more", .groups, errors: GroupAPIRoutes.leaders),
        options: .closedToSuspended, handler: deactivate),
      .api(
        .delete, "\(waypoints)/:waypoint_id", .atLeast(.guest),
        Operation("Remove a waypoint", .groups, errors: GroupAPIRoutes.leaders),
        options: .closedToSuspended, handler: removeWaypoint),
    ]
  }

  @Sendable private func addWaypoint(
    _ input: WaypointInput, _ context: Context
  ) throws -> Created<WaypointRecord> {
    let name = try GroupDesk.name(input.name)
    guard
      let position = Position(latitude: input.latitude, longitude: input.longitude)
    else { throw Problem.invalid(PlaceInput.wrong(input.latitude, input.longitude)) }
    return try context.answering(
      {
        try desk.add(
          name, at: position, to: context.id(), by: context.signedIn(), now: context.now)
      }, { Created(WaypointRecord($0)) })
  }

  @Sendable private func activate(_ context: Context) throws -> Done {
    try desk.activate(
      context.id("waypoint_id"), in: context.id(), by: context.signedIn(), now: context.now)
    return Done()
  }

  @Sendable private func deactivate(_ context: Context) throws -> Done {
    try desk.deactivate(
      context.id("waypoint_id"), in: context.id(), by: context.signedIn(), now: context.now)
    return Done()
  }

  @Sendable private func removeWaypoint(_ context: Context) throws -> Done {
    try desk.remove(
      context.id("waypoint_id"), from: context.id(), by: context.signedIn(), now: context.now)
    return Done()
  }
}
