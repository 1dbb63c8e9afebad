import Core
import Database
import Web

/// The leader's waypoints; used by pages and the API.
struct WaypointService: Sendable {
  let services: GroupsEnvironment

  private var service: GroupService { GroupService(services: services) }
  private var writing: GroupWriter { services.writing }

  /// Throws 409 if the maximum number is reached.
  func add(
    _ name: String, at position: Position, to id: ID<Group>, by viewer: Viewer, now: Instant
  ) throws -> Waypoint {
    try service.change(id, by: viewer, .leader) { _, writer in
      let count = try services.store.waypoints(of: id, in: writer).count
      guard count < GroupRules.maximumWaypoints else { throw Problem(.limitReached) }
      let waypoint = Waypoint(
        id: ID(now: now), name: name, position: position, createdAt: now)
      try writing.add(waypoint, to: id, by: viewer.id, now: now, in: writer)
      return waypoint
    }
  }

  /// Activates a waypoint; nil for none.
  func activate(
    _ waypoint: ID<Waypoint>?, in id: ID<Group>, by viewer: Viewer, now: Instant
  ) throws {
    try service.change(id, by: viewer, .leader) { group, writer in
      let found = try waypoint.map { try find($0, in: id, writer) }
      guard group.activeWaypoint != waypoint else { return }
      try writing.activate(found, in: id, by: viewer.id, now: now, writer)
    }
  }

  /// Deactivates a waypoint; no effect if another one is active.
  func deactivate(
    _ waypoint: ID<Waypoint>, in id: ID<Group>, by viewer: Viewer, now: Instant
  ) throws {
    try service.change(id, by: viewer, .leader) { group, writer in
      _ = try find(waypoint, in: id, writer)
      guard group.activeWaypoint == waypoint else { return }
      try writing.activate(nil, in: id, by: viewer.id, now: now, writer)
    }
  }

  func remove(
    _ waypoint: ID<Waypoint>, from id: ID<Group>, by viewer: Viewer, now: Instant
  ) throws {
    try service.change(id, by: viewer, .leader) { _, writer in
      let found = try find(waypoint, in: id, writer)
      try writing.remove(found, from: id, by: viewer.id, now: now, in: writer)
    }
  }

  private func find(
    _ waypoint: ID<Waypoint>, in id: ID<Group>, _ reader: ReadTransaction
  ) throws -> Waypoint {
    let all = try services.store.waypoints(of: id, in: reader)
    guard let found = all.first(where: { $0.id == waypoint }) else { throw Problem.notFound }
    return found
  }
}
