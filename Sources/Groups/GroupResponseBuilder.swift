import Core
import Database
import Web

/// Builds the API responses of groups.
struct GroupResponseBuilder {
  let services: GroupsEnvironment

  private var store: GroupStore { services.store }

  /// The user's groups, with the same number of queries for a hundred as for one.
  func all(of person: ID<Person>, now: Instant) throws -> [GroupResponse] {
    try services.site.database.read { reader in
      let groups = try store.all(of: person, in: reader)
      let members = try store.members(ofAllGroupsOf: person, now: now, in: reader)
      let waypoints = try store.waypoints(ofAllGroupsOf: person, in: reader)
      return groups.map {
        GroupResponse(
          group: $0, members: members[$0.id] ?? [], waypoints: waypoints[$0.id] ?? [], events: [],
          baseURL: services.site.baseURL)
      }
    }
  }

  /// A group as shown to the viewer; throws 404 if the viewer is not a member.
  func record(_ id: ID<Group>, _ context: Context) throws -> GroupResponse {
    let viewer = try context.signedIn()
    return try services.site.database.read { reader in
      guard let group = try store.visible(id, to: viewer.id, in: reader) else {
        throw Problem.notFound
      }
      return try record(group, events: [], now: context.now, in: reader)
    }
  }

  /// A group with the given events.
  func record(
    _ group: Group, events: [GroupEvent], now: Instant, in reader: ReadTransaction
  ) throws -> GroupResponse {
    GroupResponse(
      group: group, members: try store.members(of: group.id, now: now, in: reader),
      waypoints: try store.waypoints(of: group.id, in: reader), events: events,
      baseURL: services.site.baseURL)
  }
}
