import Core
import Web

extension GroupRole: JSONEnum {}
extension GroupEventKind: JSONEnum {}

/// A group as shown to one of its members in the API (docs/api/groups-and-live.md).
struct GroupResponse: JSONResponse {
  let group: Group
  let members: [Member]
  let waypoints: [Waypoint]
  let events: [GroupEvent]
  let baseURL: String

  static let jsonName = "Group"

  static let jsonFields: [JSONField<Self>] = [
    JSONField("id") { $0.group.id },
    JSONField("name", example: "Harvest Walk") { $0.group.name },
    JSONField("leader_id", note: "Null if the group is closed and has no leader.") {
      $0.group.leader
    },
    JSONField(
      "invite_code", note: "Null if you may not invite others.", example: "K7M2QX"
    ) { $0.shownCode?.code.text },
    JSONField("invite_expires_at") { $0.shownCode?.expiresAt },
    JSONField("is_active", note: "False if the group is closed.") { $0.group.isOpen },
    JSONField("may_join", note: "Whether joining with the code is allowed.") { $0.group.mayJoin },
    JSONField("members_invite", note: "Whether members other than the leader can see the code.") {
      $0.group.membersInvite
    },
    JSONField("created_at") { $0.group.createdAt },
    JSONField("version", note: "Incremented with every change.", example: 7) { $0.group.version },
    JSONField("members") { record in
      record.members.map { MemberResponse($0, baseURL: record.baseURL) }
    },
    JSONField("waypoints") { $0.waypoints.map(WaypointResponse.init) },
    JSONField("active_waypoint_id") { $0.group.activeWaypoint },
    JSONField(
      "events",
      note: """
        Oldest first. With `since`, the events after it, at most the latest \
        \(GroupRules.maximumEvents); otherwise the latest \(GroupRules.logPageSize). Empty except in the \
        response to `GET /groups/{id}`. Locations are not events; see `members`.
        """
    ) { $0.events.map(GroupEventResponse.init) },
  ]

  private var shownCode: Group.Invitation? { group.mayInvite ? group.code : nil }
}

/// A member of a group.
struct MemberResponse: JSONResponse {
  let member: Member
  private let avatarURL: String?

  init(_ member: Member, baseURL: String) {
    self.member = member
    avatarURL = member.avatar.map { baseURL + $0 }
  }

  static let jsonName = "GroupMember"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("id", note: "The membership's identifier.") { $0.member.id },
    JSONField("user_id") { $0.member.person },
    JSONField("display_name", example: "Mei") { $0.member.name },
    JSONField("avatar_url", note: "Null if there is no picture.") { $0.avatarURL },
    JSONField("role") { $0.member.role },
    JSONField("joined_at") { $0.member.joinedAt },
    JSONField("sharing", note: "Whether the member is sharing their location.") {
      $0.member.sharingUntil != nil
    },
    JSONField("sharing_until", note: "When sharing ends automatically; null if not sharing.") {
      $0.member.sharingUntil
    },
    JSONField("location", note: "Null if not sharing, or if none has been sent yet.") {
      $0.member.place.map(PlaceResponse.init)
    },
    JSONField("last_location_update", note: "Time of the location.") { $0.member.place?.at },
  ]
}

/// A member's last location.
struct PlaceResponse: JSONResponse {
  let place: MemberPlace

  init(_ place: MemberPlace) { self.place = place }

  static let jsonName = "Place"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("latitude", note: "Degrees.", example: .real(25.033)) {
      $0.place.position.latitude
    },
    JSONField("longitude", note: "Degrees.", example: .real(121.5654)) {
      $0.place.position.longitude
    },
    JSONField("accuracy", note: "Metres.", example: .real(12)) { $0.place.accuracy },
  ]
}

/// A waypoint set by the leader.
struct WaypointResponse: JSONResponse {
  let waypoint: Waypoint

  init(_ waypoint: Waypoint) { self.waypoint = waypoint }

  static let jsonName = "Waypoint"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("id") { $0.waypoint.id },
    JSONField("name", example: "Tea house") { $0.waypoint.name },
    JSONField("latitude", note: "Degrees.", example: .real(25.0372)) {
      $0.waypoint.position.latitude
    },
    JSONField("longitude", note: "Degrees.", example: .real(121.5637)) {
      $0.waypoint.position.longitude
    },
    JSONField("created_at") { $0.waypoint.createdAt },
  ]
}

/// A log entry of a group.
struct GroupEventResponse: JSONResponse {
  let event: GroupEvent

  init(_ event: GroupEvent) { self.event = event }

  static let jsonName = "GroupEvent"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("version", note: "The group's version after the event.", example: 7) {
      $0.event.version
    },
    JSONField("kind") { $0.event.kind },
    JSONField(
      "user_id", note: "The user concerned; null if the account was deleted."
    ) { $0.event.person },
    JSONField(
      "note", note: "The text of a command, the name of a waypoint, or the group's new name.",
      example: "By the north gate"
    ) { $0.event.note },
    JSONField("created_at") { $0.event.at },
  ]
}

/// The user's groups.
struct GroupListResponse: JSONResponse {
  let groups: [GroupResponse]

  static let jsonName = "GroupList"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("groups", note: "Open groups first, then the most recently joined.") { $0.groups }
  ]
}

/// Until when the location is shared.
struct SharingResponse: JSONResponse {
  let until: Instant?

  static let jsonName = "Sharing"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("until", note: "Null if sharing is off.") { $0.until }
  ]
}
