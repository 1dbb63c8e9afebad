import Accounts
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
    log = GroupLogView.all(state.log, me: state.group.own?.person, context)
    summary = GroupFormatter.summary(state.group, context)
    live = GroupLiveView(state.group, context)
    sharingLeft = state.group.sharing(now: context.now).map {
      GroupFormatter.time(left: $0.seconds(since: context.now), context)
    }
  }

  private var group: Group { state.group }
  private var commands: Bool { group.isLedByViewer && group.isOpen }
  /// Whether the viewer has not called yet, as far as the log shows.
  private var isFirstCall: Bool {
    !state.log.contains { $0.kind.isCall && $0.person == group.own?.person }
  }

  /// Whether the viewer called for help and has not taken it back since.
  private var needsHelp: Bool {
    state.log.first {
      $0.person == group.own?.person && ($0.kind == .needHelp || $0.kind == .isOK)
    }?.kind == .needHelp
  }

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
      "needs_help": .flag { $0.needsHelp },
      "first_call": .flag { $0.isFirstCall },
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
      "help_link": .text { AccountLinks.callForHelp(note: $0.group.name) },
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
    "remove_link": .text { GroupsLinks.removal($0.waypoint.id, of: $0.group) },
  ]
}

/// A log entry.
struct GroupLogView: View {
  let event: GroupEvent
  let text: String
  let age: String
  /// Whether it is of something that the viewer did.
  let isOwn: Bool

  /// The entries, newest first. Beginning and end of a user's sharing become one entry with its
  /// length, and so do several in a row.
  static func all(
    _ log: [GroupEvent], me: ID<Person>?, _ context: Context
  ) -> [GroupLogView] {
    var entries: [(event: GroupEvent, shared: Int64?)] = []
    // The indices of ends of sharing whose beginning was not found yet.
    var ends: [ID<Person>: Int] = [:]
    for event in log {
      if event.kind == .sharing, let end = event.person.flatMap({ ends.removeValue(forKey: $0) }) {
        entries[end].shared = entries[end].event.at.seconds(since: event.at)
        continue
      }
      if event.kind == .notSharing, let person = event.person { ends[person] = entries.count }
      entries.append((event, nil))
    }
    var merged: [(event: GroupEvent, shared: Int64?)] = []
    for entry in entries {
      if let shared = entry.shared, let last = merged.last, let before = last.shared,
        last.event.person == entry.event.person
      {
        merged[merged.count - 1].shared = before + shared
      } else {
        merged.append(entry)
      }
    }
    return merged.map { GroupLogView($0.event, shared: $0.shared, me: me, context) }
  }

  private init(_ event: GroupEvent, shared: Int64?, me: ID<Person>?, _ context: Context) {
    self.event = event
    text = GroupFormatter.event(event, shared: shared, context)
    age = DateFormatting(context).age(event.at)
    isOwn = event.person != nil && event.person == me
  }

  static let fields: [String: Field<GroupLogView>] = [
    "kind": .text { $0.event.kind.rawValue },
    "own": .flag { $0.isOwn },
    "version": .integer { $0.event.version },
    "text": .text { $0.text },
    "note": .optionalText { $0.event.kind.isCall ? $0.event.note : nil },
    "call": .flag { $0.event.kind.isCall },
    "alarm": .flag { $0.event.kind == .emergency || $0.event.kind == .needHelp },
    "age": .text { $0.age },
    "at": .text { $0.event.at.rfc3339 },
  ]
}
