import Core
import Foundation
import Templates
import Web

struct GroupView: FormContent {
  let state: GroupState
  let entered: FormFields
  let errors: [String: String]
  let members: [MemberView]
  let waypoints: [WaypointView]
  let log: [GroupLogView]
  let summary: String
  let sharingLeft: String?
  let live: GroupLiveView

  init(
    state: GroupState, entered: FormFields, errors: [String: String],
    _ context: Context
  ) {
    self.state = state
    self.entered = entered
    self.errors = errors
    members = state.members.map { MemberView($0, in: state, context) }
    waypoints = state.waypoints.map { WaypointView($0, in: state, context) }
    log = state.log.map { GroupLogView($0, context) }
    summary = GroupFormatter.summary(state.group, context)
    live = GroupLiveView(state.group, context)
    sharingLeft = state.group.sharing(now: context.now).map {
      GroupFormatter.time(left: $0.seconds(since: context.now), context)
    }
  }

  private var group: Group { state.group }
  private var commands: Bool { group.isLedByViewer && group.isOpen }

  static let fields: [String: Field<GroupView>] = formFields(
    errors: ["note", "name", "place"],
    [
      "live": .child { $0.live },
      "id": .text { $0.group.id.description },
      "version": .integer { $0.group.version },
      "name": .text { $0.group.name },
      "summary": .text { $0.summary },
      "open": .flag { $0.group.isOpen },
      "leads": .flag { $0.commands },
      "may_invite": .flag { $0.group.mayInvite },
      "alone": .flag { $0.group.mayInvite && $0.state.members.count < 2 },
      "members": .list { $0.members },
      "waypoints": .list { $0.waypoints },
      "has_waypoints": .flag { !$0.waypoints.isEmpty },
      "has_room": .flag { $0.waypoints.count < GroupRules.maximumWaypoints },
      "log": .list { $0.log },
      "sharing_left": .optionalText { $0.sharingLeft },
      "groups_link": .text { _ in GroupsLinks.groups },
      "link": .text { GroupsLinks.group($0.group.id) },
      "invite_link": .text { GroupsLinks.invite($0.group.id) },
      "settings_link": .text { GroupsLinks.settings($0.group.id) },
      "leave_link": .text { GroupsLinks.leave($0.group.id) },
      "sharing_action": .text { GroupsLinks.sharing($0.group.id) },
      "commands_action": .text { GroupsLinks.commands($0.group.id) },
      "emergency_link": .text { GroupsLinks.emergency($0.group.id) },
      "waypoints_action": .text { GroupsLinks.waypoints($0.group.id) },
      "waypoint_name": .text { $0.entered["name"] },
      "place": .text { $0.entered["place"] },
      "note": .text { $0.entered["note"] },
      "waypoint_open": .flag { $0.errors["name"] != nil || $0.errors["place"] != nil },
    ])
}

/// A member in the list of a group.
struct MemberView: View {
  let member: Member
  let avatar: AvatarView
  let isMe: Bool
  let distance: String?
  let direction: String?
  let fromLeader: String?
  let accuracy: String?
  let age: String?
  /// Whether the location is shown as old.
  let isStale: Bool

  init(_ member: Member, in state: GroupState, _ context: Context) {
    self.member = member
    avatar = AvatarView(name: member.name, avatar: member.avatar)
    isMe = member.person == state.group.own?.person
    let place = member.place
    isStale = place.map { context.now.seconds(since: $0.at) > GroupRules.placeFresh } ?? false
    age = place.map { DateFormatting(context).age($0.at) }
    accuracy = place?.accuracy.map { GroupFormatter.distance($0, context) }
    let mine = isMe ? nil : state.ownPlace
    distance = place.flatMap { place in
      mine.map { GroupFormatter.distance($0.position.distance(to: place.position), context) }
    }
    direction = place.flatMap { place in
      mine.map { GroupFormatter.direction($0.position.bearing(to: place.position), context) }
    }
    // The distance from the leader is omitted for the leader, and if the viewer leads.
    let leader = member.role == .leader || state.group.isLedByViewer ? nil : state.leaderPlace
    fromLeader = place.flatMap { place in
      leader.map { GroupFormatter.distance($0.position.distance(to: place.position), context) }
    }
  }

  static let fields: [String: Field<MemberView>] = [
    "user_id": .text { $0.member.person.description },
    "name": .text { $0.member.name },
    "face": .child { $0.avatar },
    "leader": .flag { $0.member.role == .leader },
    "me": .flag { $0.isMe },
    "sharing": .flag { $0.member.sharingUntil != nil },
    "waiting": .flag { $0.member.sharingUntil != nil && $0.member.place == nil },
    "stale": .flag { $0.isStale },
    "map_link": .optionalText { $0.isMe ? nil : $0.member.place?.position.mapLink },
    "distance": .optionalText { $0.distance },
    "direction": .optionalText { $0.direction },
    "from_leader": .optionalText { $0.fromLeader },
    "accuracy": .optionalText { $0.accuracy },
    "age": .optionalText { $0.age },
  ]
}

struct WaypointView: View {
  let waypoint: Waypoint
  let isActive: Bool
  let group: ID<Group>
  let distance: String?
  let direction: String?

  init(_ waypoint: Waypoint, in state: GroupState, _ context: Context) {
    self.waypoint = waypoint
    group = state.group.id
    isActive = waypoint.id == state.group.activeWaypoint
    distance = state.ownPlace.map {
      GroupFormatter.distance($0.position.distance(to: waypoint.position), context)
    }
    direction = state.ownPlace.map {
      GroupFormatter.direction($0.position.bearing(to: waypoint.position), context)
    }
  }

  static let fields: [String: Field<WaypointView>] = [
    "id": .text { $0.waypoint.id.description },
    "name": .text { $0.waypoint.name },
    "active": .flag { $0.isActive },
    "map_link": .text { $0.waypoint.position.mapLink },
    "distance": .optionalText { $0.distance },
    "direction": .optionalText { $0.direction },
    "action": .text { GroupsLinks.waypoint($0.waypoint.id, of: $0.group) },
  ]
}

/// A log entry.
struct GroupLogView: View {
  let event: GroupEvent
  let text: String
  let age: String

  init(_ event: GroupEvent, _ context: Context) {
    self.event = event
    text = GroupFormatter.event(event, context)
    age = DateFormatting(context).age(event.at)
  }

  static let fields: [String: Field<GroupLogView>] = [
    "kind": .text { $0.event.kind.rawValue },
    "version": .integer { $0.event.version },
    "text": .text { $0.text },
    "note": .optionalText { $0.event.kind.isCall ? $0.event.note : nil },
    "call": .flag { $0.event.kind.isCall },
    "alarm": .flag { $0.event.kind == .emergency || $0.event.kind == .needHelp },
    "age": .text { $0.age },
    "at": .text { $0.event.at.rfc3339 },
  ]
}
