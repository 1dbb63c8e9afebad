import Accounts
import Core
import Database
import HTTPTypes
import Jobs
import Mail
import Web

/// Routes, jobs, checks and menu entries of the Moderation module.
public struct ModerationModule: Sendable {
  /// Dependencies injected by the application.
  public struct Dependencies: Sendable {
    public let site: AppEnvironment
    public let mailQueue: MailQueue
    public let limits: RateLimitStore
    public let posts: any ReportablePosts
    public let comments: any ReportableComments
    public let messages: any ReportableMessages
    public let moments: any ReportableMoments
    /// Blocks a couple that the viewer has seen.
    public let block: @Sendable (ID<Couple>, Viewer, Instant, WriteTransaction) throws -> Void
    /// Number of reporters that hides an item until a decision.
    public let threshold: Int
    /// Receives decisions.
    public let observer: any ModerationObserver

    public init(
      site: AppEnvironment, mailQueue: MailQueue, limits: RateLimitStore,
      posts: any ReportablePosts, comments: any ReportableComments,
      messages: any ReportableMessages, moments: any ReportableMoments,
      block: @escaping @Sendable (ID<Couple>, Viewer, Instant, WriteTransaction) throws -> Void,
      threshold: Int, observer: any ModerationObserver = NoModerationObserver()
    ) {
      self.observer = observer
      self.site = site
      self.mailQueue = mailQueue
      self.limits = limits
      self.posts = posts
      self.comments = comments
      self.messages = messages
      self.moments = moments
      self.block = block
      self.threshold = threshold
    }
  }

  public static let migrations =
    ReportSchema.migrations + AuditLogSchema.migrations + ReasonSchema.migrations
    + ReportSchema.later + UndoSchema.migrations + ReportSchema.ofMessages
    + ReportSchema.ofMoments
  public let routes: [Route]
  public let jobs: [JobKind]
  public let participant: any AccountParticipant
  public let doctorChecks: [DoctorCheck]
  public let gauges: [Gauge]
  let services: ModerationEnvironment

  /// Compiles the pages of this module. Throws the errors of their templates.
  public init(_ needs: Dependencies) throws {
    let database = needs.site.database
    let services = ModerationEnvironment(
      site: needs.site, posts: needs.posts, comments: needs.comments, messages: needs.messages,
      moments: needs.moments,
      couples: CoupleStore(database: database),
      moderationStatuses: ModerationStatuses(), directory: UserDirectory(keys: needs.site.keys),
      limits: needs.limits, block: needs.block, threshold: needs.threshold, observer: needs.observer
    )
    self.services = services
    routes =
      try Self.peoplesRoutes(services) + Self.staffsRoutes(services)
      + ReportAPI(services: services).routes
    let mail = try ModeratorMailer(services, queue: needs.mailQueue)
    jobs = [.recurring("moderation.tell", every: .minutes(10)) { try mail.notify(now: $0) }]
    participant = ModerationParticipant(services: services)
    doctorChecks = ModerationDoctor.checks
    gauges = [
      Gauge("pairspot_reports_waiting", "Reports and appeals to be decided.") { _ in
        try database.read {
          try services.cases.count(.open, in: $0) + services.cases.count(.appealed, in: $0)
        }
      },
      Gauge("pairspot_suspended", "Suspended accounts.") { now in
        try database.read { try services.moderationStatuses.suspendedCount(now: now, in: $0) }
      },
    ]
  }

  private static func peoplesRoutes(_ services: ModerationEnvironment) throws -> [Route] {
    let report = try ReportPages(services)
    let own = try OwnReportPages(services)
    let closed: Route.Options = .closedToSuspended
    return [
      Route(
        .get, "/posts/:id/report", .atLeast(.member), options: closed, handler: report.showPost),
      Route(
        .post, "/posts/:id/report", .atLeast(.member), options: [closed, .paragraphs],
        handler: report.sendPost),
      Route(
        .get, "/comments/:id/report", .atLeast(.member), options: closed,
        handler: report.showComment),
      Route(
        .post, "/comments/:id/report", .atLeast(.member), options: [closed, .paragraphs],
        handler: report.sendComment),
      Route(
        .get, "/messages/:id/:message/report", .atLeast(.member), options: [closed, .noStore],
        handler: report.showMessage),
      Route(
        .post, "/messages/:id/:message/report", .atLeast(.member),
        options: [closed, .paragraphs, .noStore], handler: report.sendMessage),
      Route(
        .get, "/moments/:id/:moment/report", .atLeast(.member), options: [closed, .noStore],
        handler: report.showMoment),
      Route(
        .post, "/moments/:id/:moment/report", .atLeast(.member),
        options: [closed, .paragraphs, .noStore], handler: report.sendMoment),
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
        .post, "\(ModerationLinks.ownReports)/:id/undo", .atLeast(.member), options: .noStore,
        handler: own.withdraw),
      Route(
        .get, ModerationLinks.ownDecisions, .atLeast(.guest), options: .noStore,
        handler: own.showDecisions),
      Route(
        .post, "\(ModerationLinks.ownDecisions)/:id/appeal", .atLeast(.guest),
        options: [.noStore, .paragraphs], handler: own.appeal),
    ]
  }

  private static func staffsRoutes(_ services: ModerationEnvironment) throws -> [Route] {
    let screen = try ReportsScreen(services)
    let (queue, one) = (QueuePages(screen), CasePages(screen))
    let moderationStatuses = try UserModerationPages(services)
    let log = try AuditLogPages(services)
    let path = ModerationLinks.queue
    let people = "\(ModerationLinks.people)/:id"
    let couples = "\(ModerationLinks.couples)/:id"
    func admins(
      _ method: HTTPRequest.Method, _ path: String, _ handler: @escaping Handler
    ) -> Route {
      Route(method, path, .atLeast(.admin), options: [.noStore, .paragraphs], handler: handler)
    }
    return [
      admins(.get, ModerationLinks.people, moderationStatuses.showPeople),
      Route(
        .post, ModerationLinks.people, .atLeast(.admin), options: .noStore,
        handler: moderationStatuses.findPeople),
      admins(.get, people, moderationStatuses.showPerson),
      admins(.post, people, moderationStatuses.decidePerson),
      admins(.get, ModerationLinks.couples, moderationStatuses.showCouples),
      admins(.get, couples, moderationStatuses.showCouple),
      admins(.post, couples, moderationStatuses.decideCouple),
      admins(.get, ModerationLinks.log, log.show),
      admins(.post, ModerationLinks.log, log.export),
      Route(.get, path, .atLeast(.moderator), options: .noStore, handler: queue.show),
      Route(.get, "\(path)/:id", .atLeast(.moderator), options: .noStore, handler: one.show),
      Route(
        .post, "\(path)/:id", .atLeast(.moderator), options: [.noStore, .paragraphs],
        handler: one.decide),
      Route(
        .post, "\(path)/:id/decisions/:decision_id/undo", .atLeast(.moderator), options: .noStore,
        handler: one.undo),
    ]
  }

  /// Reports a post without a form, for the demo data. `reason` is one of the API's.
  public func report(
    _ post: ID<ReportedPost>, reason: String, note: String = "", by viewer: Viewer,
    at now: Instant
  ) throws {
    let report = try ReportRules.report(reason: reason, note: note).get()
    let service = ReportService(services: services)
    try service.report(service.target(post, for: viewer), report, by: viewer, now: now)
  }

  /// Entries of the admin menu.
  public static let staffEntries = [
    AdminMenuItem(
      ModerationLinks.queue, icon: "flag", "admin.reports", for: .moderator, inRail: true
    ) { reader, _ in
      try CaseStore().count(.open, in: reader) + CaseStore().count(.appealed, in: reader)
    },
    AdminMenuItem(ModerationLinks.people, icon: "people", "admin.people", for: .admin) {
      try ModerationStatuses().suspendedCount(now: $1, in: $0)
    },
    AdminMenuItem(ModerationLinks.couples, icon: "heart", "admin.couples", for: .admin),
  ]
  /// The entry of the log in the admin menu.
  public static let logEntry = AdminMenuItem(
    ModerationLinks.log, icon: "page", "admin.log", for: .admin)
}

extension ModerationModule {
  /// Maximum number of a user's undecided reports that are looked up, the latest.
  private static let listedReports = 100

  /// The posts that a user has reported and no moderator has decided about, each with the address
  /// that withdraws the report; nil once it is too late.
  public static func openReports(
    of person: ID<Person>, now: Instant, in reader: ReadTransaction
  ) throws -> [(post: ID<ReportedPost>, withdrawal: String?)] {
    let found = try CaseStore().openPostReports(of: person, limit: listedReports, in: reader)
    return found.compactMap { report, target -> (post: ID<ReportedPost>, withdrawal: String?)? in
      guard case .post(let post) = target.target else { return nil }
      let withdrawal =
        report.canBeWithdrawn(target, now: now) ? ModerationLinks.withdraw(report.id) : nil
      return (post: post, withdrawal: withdrawal)
    }
  }

  /// Whether what was reported of a message is needed: its case waits for a moderator, or was decided
  /// at this moment or later.
  public static func isEvidence(
    _ message: ID<ReportedMessage>, since moment: Instant, in reader: ReadTransaction
  ) throws -> Bool {
    guard let found = try CaseStore().find(.message(message), in: reader) else { return false }
    return found.state.waits || found.decidedAt.map { $0 >= moment } ?? false
  }

  /// A length that moderators can't choose, or a reason that the page would refuse.
  public struct InvalidSuspension: Error, CustomStringConvertible {
    public let description =
      "a suspension needs a reason of 1 to \(ReportRules.decisionNoteLimits.characters) "
      + "characters, and takes 1, 7 or 30 days, or 0 for good"
  }

  /// Suspends a member without a report, for a command: with the case, mail and audit line of the
  /// page. `days`: one of the lengths that moderators can choose, 0 for good. A dry run only checks.
  /// Throws `InvalidSuspension`.
  public func suspend(
    _ person: ID<Person>, days: Int, note entered: String, isDryRun: Bool, now: Instant
  ) throws {
    let note = entered.asParagraphs
    guard ReportRules.suspensions.contains(days), !note.isEmpty,
      FieldError.tooLong(note, ReportRules.decisionNoteLimits) == nil
    else { throw InvalidSuspension() }
    if isDryRun { return }
    let (before, couple) = try services.site.database.read { reader in
      (
        try services.cases.find(.person(person), in: reader),
        try services.moderationStatuses.person(person, now: now, in: reader)?.couple
      )
    }
    try DecisionService(services: services).decide(
      DecisionInput(decision: .suspend, note: note, days: days, version: before?.version ?? 0),
      unreported: .person(person), couple: couple, author: person, by: nil, now: now)
  }
}
