import Web

/// The API routes of groups, for apps and for scripts of the pages, on the services that the pages
/// use (docs/api/groups-and-live.md).
enum GroupAPIRoutes {
  /// The path of one group.
  static let group = "/groups/:id"
  /// The errors of the leader's actions.
  static let leaders: [APIErrorCode] = [.forbidden, .groupClosed]

  static func all(_ services: GroupsEnvironment) -> [Route] {
    GroupAPI(services).routes + InviteAPI(services).routes + GroupMemberAPI(services).routes
      + SharingAPI(services).routes + WaypointAPI(services).routes
  }
}
