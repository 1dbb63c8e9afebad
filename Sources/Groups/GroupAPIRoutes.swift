import Web

/// The API's calls about groups, for apps and for the pages' own scripts, over what the pages call
/// (docs/api/groups-and-live.md).
enum GroupAPIRoutes {
  /// The address of one of them.
  static let group = "/groups/:id"
  /// What may go wrong with what only a leader does.
  static let leaders: [APIErrorCode] = [.forbidden, .groupClosed]

  static func all(_ services: GroupsEnvironment) -> [Route] {
    GroupAPI(services).routes + InviteAPI(services).routes + GroupMemberAPI(services).routes
      + SharingAPI(services).routes + WaypointAPI(services).routes
  }
}
