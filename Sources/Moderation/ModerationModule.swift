import Accounts
import Basics
import Database
import HTTPTypes
import Jobs
import Mail
import Web

/// What this module offers to the application.
public struct ModerationModule: Sendable {
  /// What it needs from the application.
  public struct Needs: Sendable {
    public let site: Site
    public let mailQueue: MailQueue
    public let limits: RateLimitStore
    public let posts: any ReportablePosts
    /// So many reporters hide a thing until somebody decides.
    public let threshold: Int
    /// Who is told what was decided.
    public let news: any ModerationNews

    public init(
      site: Site, mailQueue: MailQueue, limits: RateLimitStore, posts: any ReportablePosts,
      threshold: Int, news: any ModerationNews = NoModerationNews()
    ) {
      self.news = news
      self.site = site
      self.mailQueue = mailQueue
      self.limits = limits
      self.posts = posts
      self.threshold = threshold
    }
  }

  public static let migrations =
    ReportSchema.migrations + StaffLogSchema.migrations + ReasonSchema.migrations
  public let routes: [Route]
  public let jobs: [JobKind]
  public let participant: any AccountParticipant
  public let doctorChecks: [DoctorCheck]
  public let gauges: [Gauge]
  let services: ModerationServices

  /// Compiles the pages of this module; throws what is wrong with their templates.
  public init(_ needs: Needs) throws {
    let database = needs.site.database
    let services = ModerationServices(
      site: needs.site, posts: needs.posts, couples: CoupleStore(database: database),
      standings: Standings(), directory: PeopleDirectory(keys: needs.site.keys),
      limits: needs.limits, threshold: needs.threshold, news: needs.news)
    self.services = services
    routes =
      try Self.peoplesRoutes(services) + Self.staffsRoutes(services)
      + ReportAPI(services: services).routes
    let mail = try ModeratorMail(services, queue: needs.mailQueue)
    jobs = [.recurring("moderation.tell", every: .minutes(10)) { try mail.tell(now: $0) }]
    participant = ModerationParticipant(services: services)
    doctorChecks = ModerationDoctor.checks
    gauges = [
      Gauge("pairspot_reports_waiting") { _ in
        try database.read {
          try services.cases.count(.open, in: $0) + services.cases.count(.appealed, in: $0)
        }
      },
      Gauge("pairspot_suspended") { now in
        try database.read { try services.standings.suspendedCount(now: now, in: $0) }
      },
    ]
  }

  private static func peoplesRoutes(_ services: ModerationServices) throws -> [Route] {
    let report = try ReportPages(services)
    let own = try OwnPages(services)
    let closed: Route.Options = .closedToSuspended
    return [
      Route(
        .get, "/posts/:id/report", .atLeast(.member), options: closed, handler: report.showPost),
      Route(
        .post, "/posts/:id/report", .atLeast(.member), options: [closed, .paragraphs],
        handler: report.sendPost),
      Route(
        .get, "/couples/:id/report", .atLeast(.member), options: closed,
        handler: report.showCouple),
      Route(
        .post, "/couples/:id/report", .atLeast(.member), options: [closed, .paragraphs],
        handler: report.sendCouple),
      Route(
        .get, ModerationLinks.ownReports, .atLeast(.member), options: .noStore,
        handler: own.showReports),
      Route(
        .get, ModerationLinks.ownDecisions, .atLeast(.guest), options: .noStore,
        handler: own.showDecisions),
      Route(
        .post, "\(ModerationLinks.ownDecisions)/:id/appeal", .atLeast(.guest),
        options: [.noStore, .paragraphs], handler: own.appeal),
    ]
  }

  private static func staffsRoutes(_ services: ModerationServices) throws -> [Route] {
    let queue = try QueuePages(services)
    let one = try CasePages(services)
    let standings = try StandingPages(services)
    let log = try LogPages(services)
    let path = ModerationLinks.queue
    let people = "\(ModerationLinks.people)/:id"
    let couples = "\(ModerationLinks.couples)/:id"
    func admins(
      _ method: HTTPRequest.Method, _ path: String, _ handler: @escaping Handler
    ) -> Route {
      Route(method, path, .atLeast(.admin), options: [.noStore, .paragraphs], handler: handler)
    }
    return [
      admins(.get, ModerationLinks.people, standings.showPeople),
      admins(.get, people, standings.showPerson),
      admins(.post, people, standings.decidePerson),
      admins(.get, ModerationLinks.couples, standings.showCouples),
      admins(.get, couples, standings.showCouple),
      admins(.post, couples, standings.decideCouple),
      admins(.get, ModerationLinks.log, log.show),
      admins(.post, ModerationLinks.log, log.export),
      Route(.get, path, .atLeast(.moderator), options: .noStore, handler: queue.show),
      Route(.get, "\(path)/:id", .atLeast(.moderator), options: .noStore, handler: one.show),
      Route(
        .post, "\(path)/:id", .atLeast(.moderator), options: [.noStore, .paragraphs],
        handler: one.decide),
    ]
  }

  /// Reports a post without a form: for the demonstration world. `reason` is one of the API's.
  public func report(
    _ post: ID<ReportedPost>, reason: String, note: String = "", by viewer: Viewer,
    at now: Instant
  ) throws {
    let report = try ReportRules.report(reason: reason, note: note).get()
    let desk = ReportDesk(services: services)
    try desk.report(desk.target(post, for: viewer), report, by: viewer, now: now)
  }

  /// What the front page of staff leads to.
  public var staffEntries: [StaffEntry] {
    let (cases, services) = (services.cases, services)
    return [
      StaffEntry(
        ModerationLinks.queue, icon: "flag", "admin.reports", for: .moderator
      ) { reader, _ in
        try cases.count(.open, in: reader) + cases.count(.appealed, in: reader)
      },
      StaffEntry(ModerationLinks.people, icon: "people", "admin.people", for: .admin) {
        try services.standings.suspendedCount(now: $1, in: $0)
      },
      StaffEntry(ModerationLinks.couples, icon: "heart", "admin.couples", for: .admin),
      StaffEntry(ModerationLinks.log, icon: "page", "admin.log", for: .admin),
    ]
  }
}
