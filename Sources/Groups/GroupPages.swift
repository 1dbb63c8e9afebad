import Core
import Database
import HTTPTypes
import Templates
import Web

/// `/groups/{id}`: the members' locations, the waypoints and the log at the time of loading. A
/// script keeps the page up to date.
struct GroupPages {
  private let services: GroupsEnvironment
  private let page: Page<GroupView>
  private let rejection: Page<JoinErrorView>
  private let questions: QuestionPage

  init(_ services: GroupsEnvironment) throws {
    self.services = services
    page = try Page("groups/group", in: services.site)
    rejection = try Page("groups/join-refused", in: services.site)
    questions = try QuestionPage(in: services.site)
  }

  /// With the waypoint `ask`, asks before it is removed.
  @Sendable func show(_ context: Context) throws -> Response {
    if let waypoint = context.request.queryValue("ask").flatMap({ ID<Waypoint>($0) }) {
      return try askRemoval(of: waypoint, context)
    }
    if try isRemoved(context) {
      let view = JoinErrorView(.removed, named: nil, context)
      return rejection.response(
        view, context, title: .named(view.title),
        status: JoinService.Rejection.removed.code.status)
    }
    return try render(context, errors: [:])
  }

  private func askRemoval(of id: ID<Waypoint>, _ context: Context) throws -> Response {
    let group = try services.openLedGroup(context)
    let waypoint = try services.site.database.read { reader in
      try services.store.waypoints(of: group.id, in: reader).first { $0.id == id }
    }
    guard let waypoint else { throw Problem.notFound }
    let question = Question(
      title: context.text("group_confirm.waypoint_title", ["name": waypoint.name]),
      text: context.text("group_confirm.waypoint_text"),
      button: context.text("groups.waypoint_remove"),
      action: GroupsLinks.waypoint(id, of: group.id), inputs: [("button", "remove")],
      cancel: GroupsLinks.group(group.id))
    return questions.response(question, context)
  }

  /// Whether the viewer was removed; the page then says so instead of "not found".
  private func isRemoved(_ context: Context) throws -> Bool {
    let (viewer, id): (Viewer, ID<Group>) = (try context.signedIn(), try context.id())
    return try services.site.database.read {
      try services.store.isRemoved(viewer.id, from: id, in: $0)
    }
  }

  @Sendable func share(_ context: Context) throws -> Response {
    let id: ID<Group> = try context.id()
    let isOn = context.form["on"] == "1"
    _ = try PlaceSharingService(services: services).set(
      isOn, in: id, by: context.signedIn(), now: context.now)
    context.flash(isOn ? "toast.sharing" : "toast.not_sharing")
    return .seeOther(GroupsLinks.group(id))
  }

  @Sendable func call(_ context: Context) throws -> Response {
    let id: ID<Group> = try context.id()
    guard let kind = GroupEventKind(rawValue: context.form["kind"]), kind.isCall else {
      throw Problem.badRequest
    }
    try services.admit(kind, context)
    let note = context.form["note"].asOneLine
    guard GroupRules.noteLimits.allow(note) else {
      return try render(
        context, errors: ["note": FieldError("groups.error_note")], status: .unprocessableContent)
    }
    _ = try GroupService(services: services).call(
      kind, note: note, in: id, by: context.signedIn(), now: context.now)
    context.flash("toast.group_called")
    return .seeOther(GroupsLinks.group(id))
  }

  // MARK: Waypoints

  @Sendable func addWaypoint(_ context: Context) throws -> Response {
    let id: ID<Group> = try context.id()
    var errors: [String: FieldError] = [:]
    let waypoint = WaypointForm(context.form.entered, &errors)
    do {
      if let position = waypoint.position, errors.isEmpty {
        _ = try WaypointService(services: services).add(
          waypoint.name, at: position, to: id, by: context.signedIn(), now: context.now)
        context.flash("toast.waypoint_added")
        return .seeOther(GroupsLinks.group(id))
      }
    } catch let problem as Problem where problem.code == APIErrorCode.limitReached.rawValue {
      errors["name"] = FieldError("groups.error_waypoints_full")
      return try render(context, errors: errors, status: .conflict)
    }
    // Only the leader sees the errors of the form.
    guard try services.group(context).isLedByViewer else { throw Problem.forbidden }
    return try render(context, errors: errors, status: .unprocessableContent)
  }

  @Sendable func changeWaypoint(_ context: Context) throws -> Response {
    let (id, waypoint): (ID<Group>, ID<Waypoint>) = (
      try context.id(), try context.id("waypoint_id")
    )
    let service = WaypointService(services: services)
    let viewer = try context.signedIn()
    switch context.form["button"] {
    case "active": try service.activate(waypoint, in: id, by: viewer, now: context.now)
    case "none": try service.deactivate(waypoint, in: id, by: viewer, now: context.now)
    case "remove": try service.remove(waypoint, from: id, by: viewer, now: context.now)
    default: throw Problem.badRequest
    }
    context.flash("toast.saved")
    return .seeOther(GroupsLinks.group(id))
  }

  // MARK: Rendering

  private func render(
    _ context: Context, errors: [String: FieldError], status: HTTPResponse.Status = .ok
  ) throws -> Response {
    let (viewer, id): (Viewer, ID<Group>) = (try context.signedIn(), try context.id())
    let state = try services.site.database.read {
      try GroupState(id, seenBy: viewer, services.store, now: context.now, in: $0)
    }
    guard let state else { throw Problem.notFound }
    let view = GroupView(
      state: state, entered: context.form.entered, errors: errors.texts(context), context)
    return page.response(view, context, title: .named(state.group.name), status: status)
  }
}

/// The data of a group as shown to a member, read in one transaction.
public struct GroupState: Sendable {
  public let group: Group
  public let members: [Member]
  public let waypoints: [Waypoint]
  /// Newest first.
  public let log: [GroupEvent]

  /// Nil if the viewer is not a member.
  init?(
    _ id: ID<Group>, seenBy viewer: Viewer, _ store: GroupStore, now: Instant,
    in reader: ReadTransaction
  ) throws {
    guard let group = try store.visible(id, to: viewer.id, in: reader) else { return nil }
    self.group = group
    members = try store.members(of: id, now: now, in: reader)
    waypoints = try store.waypoints(of: id, in: reader)
    log = try store.latestEvents(of: id, maximum: GroupRules.logPageSize, in: reader)
  }

  /// The viewer's location, if shared.
  var ownPlace: MemberPlace? {
    members.first { $0.person == group.own?.person }?.place
  }

  var leaderPlace: MemberPlace? { members.first { $0.role == .leader }?.place }
}

/// The form of a waypoint.
struct WaypointForm {
  let name: String
  let position: Position?

  init(_ entered: FormFields, _ errors: inout [String: FieldError]) {
    var named: [String: FieldError] = [:]
    name = GroupService.name(entered["name"], &named)
    if !named.isEmpty { errors["name"] = FieldError("groups.error_waypoint_name") }
    position = Position(pasted: entered["place"])
    if position == nil { errors["place"] = FieldError("groups.error_position") }
  }
}
