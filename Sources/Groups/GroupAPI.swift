import Accounts
import Basics
import Database
import HTTPTypes
import QRCode
import Web

/// `/api/v1/groups`: groups for apps and for the pages' own scripts, over what the pages call
/// (api.md, "Groups").
struct GroupAPI {
  private static let path = "/groups/:id"
  private static let leaders: [APIErrorCode] = [.forbidden, .groupClosed]

  private let services: GroupServices

  private var desk: GroupDesk { GroupDesk(services: services) }

  init(_ services: GroupServices) {
    self.services = services
  }

  var routes: [Route] {
    groupRoutes + memberRoutes + placeRoutes + pictureRoutes
  }

  private var groupRoutes: [Route] {
    [
      .api(
        .post, "/groups", .atLeast(.guest),
        Operation("Make a group", .groups, note: "Who makes it leads it."),
        options: [.noStore, .idempotent, .closedToSuspended], handler: make),
      .api(
        .get, "/groups", .atLeast(.guest), Operation("Your groups", .groups),
        options: .noStore, handler: list),
      .api(
        .get, Self.path, .atLeast(.guest),
        Operation(
          "A group", .groups,
          note: """
            With `since` nothing is missed: whoever was away asks with the last version that they \
            had, and gets all that there is now and what led to it: the latest \
            \(GroupRules.eventsMost) events of that.
            """),
        options: .noStore, handler: show),
      .api(
        .patch, Self.path, .atLeast(.guest),
        Operation("Rename a group, or say who may come", .groups, errors: Self.leaders),
        options: [.noStore, .closedToSuspended], handler: change),
      .api(
        .post, "/groups/join", .atLeast(.guest),
        Operation(
          "Join a group", .groups, note: "Whoever is in it already gets it again.",
          errors: [.notFound, .inviteExpired, .groupClosed, .removedFromGroup, .groupFull]),
        options: .noStore, handler: join),
      .api(
        .post, "\(Self.path)/invite", .atLeast(.guest),
        Operation(
          "Make a new code", .groups, note: "The old one is unknown at once.",
          errors: Self.leaders),
        // No kept answer: a group's places are kept nowhere but where they are forgotten.
        options: [.noStore, .closedToSuspended], handler: renew),
      .api(
        .post, "\(Self.path)/close", .atLeast(.guest),
        Operation("Close a group", .groups, errors: Self.leaders), options: .noStore,
        handler: close),
    ]
  }

  private var memberRoutes: [Route] {
    [
      .api(
        .post, "\(Self.path)/leave", .atLeast(.guest),
        Operation(
          "Leave a group", .groups,
          note: """
            A leader's place is taken by who has been in it longest; with the last one it closes.
            """),
        handler: leave),
      .api(
        .post, "\(Self.path)/lead", .atLeast(.guest),
        Operation("Hand over the lead", .groups, errors: Self.leaders + [.conflict]),
        options: .noStore,
        handler: lead),
      .api(
        .delete, "\(Self.path)/members/:user_id", .atLeast(.guest),
        Operation(
          "Remove a member", .groups,
          note: """
            They stay out until they are allowed again. So that they don't come under another name, \
            make a new code too.
            """,
          errors: Self.leaders + [.conflict]),
        options: .closedToSuspended, handler: remove),
      .api(
        .post, "\(Self.path)/members/:user_id/allow", .atLeast(.guest),
        Operation("Allow somebody again who was removed", .groups, errors: Self.leaders),
        options: .closedToSuspended, handler: allow),
      .api(
        .post, "\(Self.path)/commands", .atLeast(.guest),
        Operation("Call out to all the others", .groups, errors: Self.leaders + [.suspended]),
        options: [.noStore, .idempotent], handler: call),
    ]
  }

  private var placeRoutes: [Route] {
    let waypoints = "\(Self.path)/waypoints"
    return [
      .api(
        .put, "\(Self.path)/sharing", .atLeast(.guest),
        Operation(
          "Share your place, or no longer", .groups, errors: [.groupClosed]),
        options: .noStore, handler: share),
      .api(
        .put, "\(Self.path)/location", .atLeast(.guest),
        Operation(
          "Say where you are", .groups,
          note: """
            Only the last place is kept. One that comes less than 5 s after the one before, or is \
            older, is quietly left aside.
            """,
          errors: [.groupClosed, .sharingOff]),
        handler: put),
      .api(
        .post, waypoints, .atLeast(.guest),
        Operation(
          "Set a waypoint", .groups, note: "\(GroupRules.waypointsMost) are the most.",
          errors: Self.leaders + [.limitReached]),
        options: [.noStore, .idempotent, .closedToSuspended], handler: addWaypoint),
      .api(
        .put, "\(waypoints)/:waypoint_id/active", .atLeast(.guest),
        Operation("Make a waypoint the active one", .groups, errors: Self.leaders),
        options: .closedToSuspended, handler: activate),
      .api(
        .delete, "\(waypoints)/:waypoint_id/active", .atLeast(.guest),
        Operation("Go to no waypoint any more", .groups, errors: Self.leaders),
        options: .closedToSuspended, handler: deactivate),
      .api(
        .delete, "\(waypoints)/:waypoint_id", .atLeast(.guest),
        Operation("Remove a waypoint", .groups, errors: Self.leaders),
        options: .closedToSuspended, handler: removeWaypoint),
    ]
  }

  private var pictureRoutes: [Route] {
    let errors: [APIErrorCode] = [.forbidden, .groupClosed]
    return [
      .api(
        .get, "\(Self.path)/invite.svg", .atLeast(.guest),
        Operation("The code as a square, drawn", .groups, errors: errors),
        answers: [.init(.ok, "The QR code.", contentType: "image/svg+xml")], options: .noStore
      ) { _, context in
        try picture(context, type: "image/svg+xml") { Array($0.svg.utf8) }
      },
      .api(
        .get, "\(Self.path)/invite.png", .atLeast(.guest),
        Operation("The code as a square, as a picture", .groups, errors: errors),
        answers: [.init(.ok, "The QR code.", contentType: "image/png")], options: .noStore
      ) { _, context in
        try picture(context, type: "image/png") { $0.png(scale: 10) }
      },
    ]
  }

  // MARK: Groups

  @Sendable private func list(_ context: Context) throws -> GroupListRecord {
    let viewer = try context.signedIn()
    return try services.site.database.read { reader in
      GroupListRecord(
        groups: try services.store.all(of: viewer.id, in: reader).map {
          try record($0, now: context.now, in: reader)
        })
    }
  }

  @Sendable private func make(
    _ input: NewGroupInput, _ context: Context
  ) throws -> Created<GroupRecord> {
    let name = try Self.name(input.name)
    let id = try desk.make(name, by: context.signedIn(), now: context.now)
    return Created(try record(id, context))
  }

  @Sendable private func show(_ query: GroupQuery, _ context: Context) throws -> GroupAnswer {
    let (viewer, id): (Viewer, ID<Group>) = (try context.signedIn(), try context.id())
    return try services.site.database.read { reader in
      if let since = query.since,
        try !services.store.isNew(id, since: since, to: viewer, in: reader)
      {
        return .unchanged
      }
      guard let group = try services.store.visible(id, to: viewer.id, in: reader) else {
        throw Problem.notFound
      }
      let events =
        if let since = query.since {
          try services.store.events(of: id, after: since, in: reader)
        } else {
          Array(
            try services.store.latestEvents(of: id, most: GroupRules.logShown, in: reader)
              .reversed())
        }
      return .group(try record(group, events: events, now: context.now, in: reader))
    }
  }

  @Sendable private func change(
    _ input: GroupChangeInput, _ context: Context
  ) throws -> GroupRecord {
    let (viewer, id): (Viewer, ID<Group>) = (try context.signedIn(), try context.id())
    // Who may not change it isn't told what is wrong with the name.
    _ = try services.openLedGroup(context)
    let name = try input.name.map(Self.name)
    try desk.set(
      .init(name: name, mayJoin: input.mayJoin, membersInvite: input.membersInvite), of: id,
      by: viewer, now: context.now)
    return try record(id, context)
  }

  @Sendable private func join(_ input: JoinInput, _ context: Context) throws -> GroupRecord {
    let viewer = try context.signedIn()
    let typed = TypedInvitation(input.code).code
    if typed.asOneLine.isEmpty {
      throw Problem.invalid(["code": FieldError("join.error_empty")])
    }
    var errors: [String: FieldError] = [:]
    let name = input.displayName.map {
      AccountRules.name(
        $0, most: GroupRules.displayNameMost, field: "display_name", &errors)
    }
    guard errors.isEmpty else { throw Problem.invalid(errors) }
    // What is no code is nobody's.
    guard let code = InviteCode(typed) else { throw Problem.notFound }
    let desk = JoinDesk(services: services)
    var found = try desk.find(
      code, for: viewer.id, from: context.address, now: context.now)
    if case .open = found {
      found = try desk.join(
        code, as: viewer.id, calling: viewer.role == .guest ? name : nil, now: context.now)
    }
    switch found {
    case .open(let group), .member(let group): return try record(group.id, context)
    case .refused(let reason): throw Problem(reason.code)
    }
  }

  @Sendable private func renew(_ context: Context) throws -> GroupRecord {
    let id: ID<Group> = try context.id()
    try desk.renewCode(of: id, by: context.signedIn(), now: context.now)
    return try record(id, context)
  }

  @Sendable private func close(_ context: Context) throws -> GroupRecord {
    let id: ID<Group> = try context.id()
    try desk.close(id, by: context.signedIn(), now: context.now)
    return try record(id, context)
  }

  // MARK: Members

  @Sendable private func leave(_ context: Context) throws -> Done {
    try desk.leave(context.id(), by: context.signedIn(), now: context.now)
    return Done()
  }

  @Sendable private func lead(_ input: LeadInput, _ context: Context) throws -> GroupRecord {
    let id: ID<Group> = try context.id()
    guard let person = input.person else { throw Problem.notFound }
    try desk.handOver(id, to: person, by: context.signedIn(), now: context.now)
    return try record(id, context)
  }

  @Sendable private func remove(_ context: Context) throws -> Done {
    try desk.remove(
      context.id("user_id"), from: context.id(), renewsCode: false, by: context.signedIn(),
      now: context.now)
    return Done()
  }

  @Sendable private func allow(_ context: Context) throws -> Done {
    try desk.allow(
      context.id("user_id"), into: context.id(), by: context.signedIn(), now: context.now)
    return Done()
  }

  @Sendable private func call(
    _ input: CommandInput, _ context: Context
  ) throws -> Created<GroupEventRecord> {
    let note = input.note?.asOneLine
    guard note?.count ?? 0 <= GroupRules.noteMost else {
      throw Problem.invalid(["note": FieldError("groups.error_note")])
    }
    try services.admit(input.event, context)
    return Created(
      GroupEventRecord(
        try desk.call(
          input.event, note: note, in: context.id(), by: context.signedIn(), now: context.now)))
  }

  // MARK: Places

  @Sendable private func share(
    _ input: SharingInput, _ context: Context
  ) throws -> SharingRecord {
    SharingRecord(
      until: try SharingDesk(services: services).set(
        input.isOn, in: context.id(), by: context.signedIn(), now: context.now))
  }

  @Sendable private func put(_ input: PlaceInput, _ context: Context) throws -> Done {
    let place = MemberPlace(
      position: try input.position(), accuracy: input.accuracy, at: input.at ?? context.now)
    try SharingDesk(services: services).put(
      place, in: context.id(), by: context.signedIn(), now: context.now)
    return Done()
  }

  @Sendable private func addWaypoint(
    _ input: WaypointInput, _ context: Context
  ) throws -> Created<WaypointRecord> {
    let name = try Self.name(input.name)
    guard
      let position = Position(latitude: input.latitude, longitude: input.longitude)
    else { throw Problem.invalid(PlaceInput.wrong(input.latitude, input.longitude)) }
    return Created(
      WaypointRecord(
        try WaypointDesk(services: services).add(
          name, at: position, to: context.id(), by: context.signedIn(), now: context.now)))
  }

  @Sendable private func activate(_ context: Context) throws -> Done {
    try WaypointDesk(services: services).activate(
      context.id("waypoint_id"), in: context.id(), by: context.signedIn(), now: context.now)
    return Done()
  }

  @Sendable private func deactivate(_ context: Context) throws -> Done {
    try WaypointDesk(services: services).deactivate(
      context.id("waypoint_id"), in: context.id(), by: context.signedIn(), now: context.now)
    return Done()
  }

  @Sendable private func removeWaypoint(_ context: Context) throws -> Done {
    try WaypointDesk(services: services).remove(
      context.id("waypoint_id"), from: context.id(), by: context.signedIn(), now: context.now)
    return Done()
  }

  // MARK: Answers

  private func picture(
    _ context: Context, type: String, _ draw: (QRCode) -> [UInt8]
  ) throws -> Response {
    let group = try services.invitingGroup(context)
    guard let code = group.code?.code else { throw Problem.notFound }
    let link = context.site.baseURL + GroupsLinks.join(code, name: group.name)
    return Response(.ok, headers: [.contentType: type], body: draw(try QRCode(link)))
  }

  private func record(_ id: ID<Group>, _ context: Context) throws -> GroupRecord {
    let viewer = try context.signedIn()
    return try services.site.database.read { reader in
      guard let group = try services.store.visible(id, to: viewer.id, in: reader) else {
        throw Problem.notFound
      }
      return try record(group, now: context.now, in: reader)
    }
  }

  private func record(
    _ group: Group, events: [GroupEvent] = [], now: Instant, in reader: Reader
  ) throws -> GroupRecord {
    GroupRecord(
      group: group, members: try services.store.members(of: group.id, now: now, in: reader),
      waypoints: try services.store.waypoints(of: group.id, in: reader), events: events)
  }

  private static func name(_ typed: String) throws -> String {
    var errors: [String: FieldError] = [:]
    let name = GroupDesk.name(typed, &errors)
    guard errors.isEmpty else { throw Problem.invalid(GroupListPages.named(errors)) }
    return name
  }
}

/// A group, or that it is as it was.
enum GroupAnswer: APIAnswer {
  case group(GroupRecord)
  case unchanged

  static let answers: [Operation.Answer] = [
    .init(.ok, "The group.", json: GroupRecord.self),
    .init(.notModified, "`since` is the present version."),
  ]

  func response() -> Response {
    switch self {
    case .group(let group): group.response()
    case .unchanged: Response(.notModified)
    }
  }
}
