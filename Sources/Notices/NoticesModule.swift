import Accounts
import Core
import Database
import HTTPClient
import Jobs
import Web
import WebPush

/// Routes, jobs, checks and the push dispatcher of the Notices module.
public struct NoticesModule: Sendable {
  /// Dependencies injected by the application.
  public struct Dependencies: Sendable {
    public let site: AppEnvironment
    public let limits: RateLimitStore
    public let vapidKey: VapidKey
    /// The allowed push services.
    public let pushServices: PushServices
    /// Sends the pushes.
    public let pushSender: any PushSender
    /// Makes their texts.
    public let pushTexts: any PushTexts
    /// Resolves a host name to its current addresses.
    public let resolve: @Sendable (String) -> [String]
    /// Called in the transaction in which a user becomes reachable by push.
    public let reached: @Sendable (ID<Person>, Instant, WriteTransaction) throws -> Void

    public init(
      site: AppEnvironment, limits: RateLimitStore, vapidKey: VapidKey, pushServices: PushServices,
      pushSender: any PushSender, pushTexts: any PushTexts = PlainPushTexts(),
      resolve: @escaping @Sendable (String) -> [String] = PublicAddress.resolve,
      reached: @escaping @Sendable (ID<Person>, Instant, WriteTransaction) throws -> Void = {
        _, _, _ in
      }
    ) {
      self.reached = reached
      self.limits = limits
      self.site = site
      self.vapidKey = vapidKey
      self.pushServices = pushServices
      self.pushSender = pushSender
      self.pushTexts = pushTexts
      self.resolve = resolve
    }
  }

  public static let migrations =
    NoticeSchema.migrations + PushSchema.migrations
    + AnniversarySchema.migrations + PushSchema.later
  /// Pushes that were waiting when a backup was made are outdated after a restore; the notices
  /// themselves are on the page.
  public static let restoreSteps = [
    RestoreStep("pushes") { writer, _ in
      try PushOutbox.forgetAll(in: writer)
      return nil
    }
  ]
  public let routes: [Route]
  public let jobs: [JobKind]
  public let participant: any AccountParticipant
  public let doctorChecks: [DoctorCheck]
  public let gauges: [Gauge]
  /// Sends the waiting pushes; started by the worker.
  public let dispatcher: PushDispatcher
  let services: NoticesEnvironment

  /// Compiles the pages of this module. Throws the errors of their templates.
  public init(_ needs: Dependencies) throws {
    let push = PushDependencies(
      publicKey: needs.vapidKey.publicText, services: needs.pushServices, resolve: needs.resolve,
      reached: needs.reached)
    let services = NoticesEnvironment(site: needs.site, limits: needs.limits, push: push)
    let database = needs.site.database
    self.services = services
    routes =
      try Self.pages(services) + NoticeAPI(services: services).routes
      + PushAPI(services: services, push: push).routes
    dispatcher = PushDispatcher(
      site: needs.site, services: needs.pushServices, sender: needs.pushSender,
      texts: needs.pushTexts)
    jobs = [
      .recurring("notices.purge", every: .hours(6)) { now in
        while try database.write({ try services.store.purge(now: now, limit: 1000, in: $0) }) {}
        while try database.write({ try PushOutbox.purge(now: now, limit: 1000, in: $0) }) {}
        while try database.write({ try PushDeduplication.purge(now: now, limit: 1000, in: $0) }) {}
      },
      .recurring("notices.anniversaries", every: .hours(1), isPunctual: true) {
        try AnniversaryJob(services: services, board: NoticeService()).run(now: $0)
      },
    ]
    participant = NoticesParticipant()
    doctorChecks = NoticesDoctor(clock: needs.site.clock).checks
    gauges = [
      Gauge("pairspot_push_waiting", "Push messages to be sent.") { _ in
        try database.read { try PushOutbox().count(in: $0) }
      }
    ]
  }

  /// The routes of this module (docs/developer/pages-and-forms.md#addresses).
  private static func pages(_ services: NoticesEnvironment) throws -> [Route] {
    let list = try NoticePages(services)
    let settings = try NoticeSettingsPages(services)
    let calendar = try CalendarPages(services)
    return [
      Route(
        .get, NoticesLinks.notices, .atLeast(.guest), options: .noStore, handler: list.show),
      Route(
        .post, NoticesLinks.read, .atLeast(.guest), options: .noStore, handler: list.markRead),
      Route(
        .post, NoticesLinks.remove, .atLeast(.guest), options: .noStore, handler: list.remove),
      Route(
        .get, "\(NoticesLinks.notices)/:id", .atLeast(.guest), options: .noStore,
        handler: list.open),
      Route(
        .get, NoticesLinks.settings, .atLeast(.guest), options: .noStore, handler: settings.show),
      Route(
        .post, NoticesLinks.settings, .atLeast(.guest), options: .noStore,
        handler: settings.save),
      Route(
        .get, NoticesLinks.calendarSettings, .atLeast(.member), options: .noStore,
        handler: calendar.show),
      Route(
        .post, NoticesLinks.calendarSettings, .atLeast(.member), options: .noStore,
        handler: calendar.change),
      Route(
        .get, NoticesLinks.calendar, .anyone, options: [.noStore, .withoutViewer],
        handler: calendar.send),
    ]
  }
}
