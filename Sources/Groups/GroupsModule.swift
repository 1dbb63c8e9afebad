import Accounts
import Core
import Database
import Images
import Jobs
import Web

/// Routes, jobs, migrations and checks of the Groups module.
public struct GroupsModule: Sendable {
  /// Dependencies injected by App.
  public struct Dependencies: Sendable {
    public let site: AppEnvironment
    public let limits: RateLimitStore
    /// Reads codes in images.
    public let imageProcessor: ImageProcessor
    /// Notified when a group has changed.
    public let observer: any GroupObserver

    public init(
      site: AppEnvironment, limits: RateLimitStore, imageProcessor: ImageProcessor,
      observer: any GroupObserver = NoGroupObserver()
    ) {
      self.site = site
      self.limits = limits
      self.imageProcessor = imageProcessor
      self.observer = observer
    }
  }

  public static let migrations = GroupSchema.migrations
  /// The steps of this module after a restored backup.
  public static let restoreSteps = [GroupsRestore.step]
  public let jobs: [JobKind]
  public let participant: any AccountParticipant
  public let doctorChecks: [DoctorCheck]
  public let gauges: [Gauge]
  /// Groups as shown to their members.
  public var store: GroupStore { services.store }
  /// The operator's actions.
  public var operations: OperatorGroups { OperatorGroups(services: services) }
  let services: GroupsEnvironment
  private let imageProcessor: ImageProcessor

  public init(_ needs: Dependencies) {
    imageProcessor = needs.imageProcessor
    let services = GroupsEnvironment(
      site: needs.site, limits: needs.limits, observer: needs.observer)
    self.services = services
    jobs = [
      .recurring("groups.keep", every: .minutes(1), isPunctual: true) {
        try GroupExpiryJob(services: services).run(now: $0)
      }
    ]
    participant = GroupsParticipant(services: services)
    doctorChecks = GroupsDoctor(services: services).checks
    gauges = [
      Gauge("pairspot_groups_open", "Groups that are open.") { _ in
        try services.site.database.read {
          try $0.count(
            "SELECT count(*) FROM groups \(index: "groups_open") WHERE closed_at IS NULL")
        }
      },
      Gauge("pairspot_places_shared", "Members of groups who share their place.") { now in
        try services.site.database.read {
          try $0.count("SELECT count(*) FROM group_members WHERE sharing_until > \(now)")
        }
      },
    ]
  }

  /// Whether a text is a code, or its link, with which a new guest may join a group now. Throws 429
  /// after too many wrong codes or new guests from one address, or of one group.
  public func isInvitation(_ entered: String, _ context: Context) throws -> Bool {
    guard let code = InviteCode(InviteLinkParser(entered).code) else { return false }
    let found = try JoinService(services: services).find(
      code, for: nil, from: context.address, now: context.now)
    guard case .open(let group) = found else { return false }
    try services.limits.count(JoinService.guests, context.address, now: context.now)
    try services.limits.count(JoinService.guestsOfApps, group.id.description, now: context.now)
    return true
  }

  /// The latest place that a user shares with one of their groups; nil if there is none.
  public static func lastPlace(
    of person: ID<Person>, now: Instant, in reader: ReadTransaction
  ) throws -> MemberPlace? {
    try GroupStore.lastPlace(of: person, now: now, in: reader)
  }

  /// Names and paths of open groups of a user, by the time of joining, latest first.
  public static func openGroups(
    of person: ID<Person>, limit: Int, in reader: ReadTransaction
  ) throws -> [(name: String, path: String)] {
    try GroupStore.open(of: person, limit: limit, in: reader).map {
      ($0.name, GroupsLinks.group($0.id))
    }
  }

  /// The routes of this module (docs/developer/pages-and-forms.md#addresses); compiles its pages.
  /// No cache may store members and their locations.
  public func routes(guests: GuestCreator) throws -> [Route] {
    try listRoutes() + groupRoutes() + memberRoutes() + joinRoutes(guests: guests)
      + GroupAPIRoutes.all(services) + liveRoutes
  }

  private func listRoutes() throws -> [Route] {
    let list = try GroupListPages(services)
    return [
      Route(
        .get, GroupsLinks.groups, .atLeast(.guest), options: .noStore, handler: list.show),
      Route(
        .post, GroupsLinks.groups, .atLeast(.guest), options: [.noStore, .closedToSuspended],
        handler: list.make),
    ]
  }

  private func groupRoutes() throws -> [Route] {
    let one = try GroupPages(services)
    let invite = try InvitePages(services)
    let settings = try GroupSettingsPages(services)
    let path = "\(GroupsLinks.groups)/:id"
    return [
      Route(.get, path, .atLeast(.guest), options: .noStore, handler: one.show),
      Route(
        .post, "\(path)/sharing", .atLeast(.guest), options: .noStore, handler: one.share),
      Route(
        .post, "\(path)/commands", .atLeast(.guest), options: .noStore, handler: one.call),
      Route(
        .post, "\(path)/waypoints", .atLeast(.guest), options: [.noStore, .closedToSuspended],
        handler: one.addWaypoint),
      Route(
        .post, "\(path)/waypoints/:waypoint_id", .atLeast(.guest),
        options: [.noStore, .closedToSuspended],
        handler: one.changeWaypoint),
      Route(
        .get, "\(path)/invite", .atLeast(.guest), options: .noStore, handler: invite.show),
      Route(
        .post, "\(path)/invite", .atLeast(.guest), options: [.noStore, .closedToSuspended],
        handler: invite.change),
      Route(
        .get, "\(path)/settings", .atLeast(.guest), options: .noStore, handler: settings.show),
      Route(
        .post, "\(path)/settings", .atLeast(.guest), options: [.noStore, .closedToSuspended],
        handler: settings.save),
    ]
  }

  private func memberRoutes() throws -> [Route] {
    let confirm = try GroupConfirmPages(services)
    let path = "\(GroupsLinks.groups)/:id"
    let member = "\(path)/members/:user_id"
    return [
      Route(
        .get, "\(path)/emergency", .atLeast(.guest), options: .noStore,
        handler: confirm.askEmergency),
      Route(
        .get, "\(path)/leave", .atLeast(.guest), options: .noStore, handler: confirm.askLeave),
      Route(
        .post, "\(path)/leave", .atLeast(.guest), options: .noStore, handler: confirm.leave),
      Route(
        .get, "\(path)/close", .atLeast(.guest), options: .noStore, handler: confirm.askClose),
      Route(
        .post, "\(path)/close", .atLeast(.guest), options: .noStore, handler: confirm.close),
      Route(
        .get, "\(member)/remove", .atLeast(.guest), options: .noStore,
        handler: confirm.askRemove),
      Route(
        .post, "\(member)/remove", .atLeast(.guest), options: [.noStore, .closedToSuspended],
        handler: confirm.remove),
      Route(
        .get, "\(member)/lead", .atLeast(.guest), options: .noStore, handler: confirm.askLead),
      Route(
        .post, "\(member)/lead", .atLeast(.guest), options: .noStore, handler: confirm.lead),
      Route(
        .post, "\(member)/allow", .atLeast(.guest), options: [.noStore, .closedToSuspended],
        handler: confirm.allow),
    ]
  }

  private func joinRoutes(guests: GuestCreator) throws -> [Route] {
    let join = try JoinPages(services, guests: guests)
    let picture = try JoinPicturePage(services, imageProcessor: imageProcessor)
    return [
      Route(.get, GroupsLinks.joinPicture, .anyone, options: .noStore, handler: picture.show),
      Route(
        .post, GroupsLinks.joinPicture, .anyone, options: .noStore,
        bodyLimit: JoinPicturePage.bodyLimit, files: JoinPicturePage.files,
        handler: picture.send),
      Route(.get, GroupsLinks.join, .anyone, options: .noStore, handler: join.show),
      Route(.post, GroupsLinks.join, .anyone, options: .noStore, handler: join.join),
    ]
  }
}
