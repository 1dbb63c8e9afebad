import Core
import Database
import Web

extension GroupsModule {
  /// A member of a demonstration group.
  public struct DemoMember: Sendable {
    public let viewer: Viewer
    /// The member's location; nil if not shared.
    public let position: Position?

    public init(_ viewer: Viewer, at position: Position?) {
      self.viewer = viewer
      self.position = position
    }
  }

  /// Creates a group with a waypoint for demonstration data; the first member leads it. Throws the
  /// errors that a form would show.
  @discardableResult
  public func found(
    _ name: String, _ walkers: [DemoMember], goingTo waypoint: (name: String, position: Position),
    saying note: String, at now: Instant
  ) throws -> ID<Group>? {
    guard let leader = walkers.first?.viewer else { return nil }
    let service = GroupService(services: services)
    let id = try service.make(name, by: leader, now: now)
    try services.site.database.write { writer in
      for walker in walkers.dropFirst() {
        try services.writing.join(walker.viewer.id, id, now: now, in: writer)
      }
    }
    let sharing = PlaceSharingService(services: services)
    for walker in walkers {
      guard let position = walker.position else { continue }
      _ = try sharing.set(true, in: id, by: walker.viewer, now: now)
      try sharing.put(
        MemberPlace(position: position, accuracy: 12, at: now), in: id, by: walker.viewer,
        now: now)
    }
    let points = WaypointService(services: services)
    let point = try points.add(
      waypoint.name, at: waypoint.position, to: id, by: leader, now: now)
    try points.activate(point.id, in: id, by: leader, now: now)
    _ = try service.call(.gather, note: note, in: id, by: leader, now: now)
    return id
  }
}
