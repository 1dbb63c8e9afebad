import Core
import Database
import Web

/// Shares the user's location with a group: off by default, off after 8 hours, and only the last
/// location is stored (docs/developer/groups.md#in-the-group).
struct PlaceSharingService: Sendable {
  /// The limit for switching on; switching off is always possible.
  private static let starting = RateLimit("group-sharing", maximum: 60, window: .hours(1))

  let services: GroupsEnvironment

  /// Switches sharing on, for 8 hours from now, or off, which deletes the location; returns until
  /// when. Throws 429 after switching on too often.
  func set(
    _ isOn: Bool, in id: ID<Group>, by viewer: Viewer, now: Instant
  ) throws -> Instant? {
    if isOn { try services.limits.count(Self.starting, viewer.id.description, now: now) }
    return try GroupService(services: services).change(id, by: viewer, .member) { group, writer in
      if !isOn, group.own?.sharingUntil == nil { return nil }
      let until = isOn ? now.adding(seconds: GroupRules.sharingDuration) : nil
      try services.writing.share(
        until: until, viewer.id, id, isNews: group.sharing(now: now) == nil || !isOn, now: now,
        in: writer)
      return until
    }
  }

  /// Stores the user's location. Throws 409 if it is not shared. A location that comes too soon,
  /// that is older than the last one, or too old to be shown, is ignored.
  func put(_ sent: MemberPlace, in id: ID<Group>, by viewer: Viewer, now: Instant) throws {
    try GroupService(services: services).change(id, by: viewer, .member) { group, writer in
      guard group.sharing(now: now) != nil else { throw Problem(.sharingOff) }
      // A phone's clock may be ahead; a location can't be later than now.
      let place = MemberPlace(
        position: sent.position, accuracy: sent.accuracy, at: min(sent.at, now))
      guard place.at > now.adding(seconds: -GroupRules.locationRetention) else { return }
      if let last = try services.writing.lastPlace(of: viewer.id, in: id, writer) {
        let pause = now.milliseconds - last.receivedAt.milliseconds
        // A clock that was set back must not block locations.
        guard pause < 0 || pause >= GroupRules.minimumLocationInterval && place.at > last.at else {
          return
        }
      }
      try services.writing.put(place, of: viewer.id, in: id, now: now, writer)
    }
  }
}
