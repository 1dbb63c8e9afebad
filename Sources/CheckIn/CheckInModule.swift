import Accounts
import Core
import Database
import Jobs
import Mail
import Secrets
import Web

/// Routes, jobs, migrations and checks of the CheckIn module.
public struct CheckInModule: Sendable {
  /// Dependencies injected by App.
  public struct Dependencies: Sendable {
    public let site: AppEnvironment
    public let mediaFolder: String
    public let mailQueue: MailQueue
    public let limits: RateLimitStore
    /// The maximum grace period after an outage, in s; nil for the length of the outage.
    public let maximumGracePeriod: Int64?
    /// The services by which contacts can be notified beside mail.
    public let channelOffers: ChannelOffers
    public let channelSender: any ChannelSender
    public let push: ContactPush
    /// The key that a watchman shares; nil without one.
    public let watchmanKey: SharedKey?
    /// Notifies an external monitor of a successful scan; its errors are logged and otherwise
    /// ignored.
    public let ping: (@Sendable () throws -> Void)?
    /// Sends the notices that are mailed to members by other channels too.
    public let observer: any CheckInObserver
    /// The last place that a user shares with a group; nil if there is none.
    public let lastPlace: @Sendable (ID<Person>, Instant, ReadTransaction) throws -> SharedPlace?
    /// All modules that store data of a user; they are notified when a user's time zone changes
    /// here.
    public let participants: @Sendable () -> [any AccountParticipant]

    public init(
      site: AppEnvironment, mediaFolder: String, mailQueue: MailQueue, limits: RateLimitStore,
      maximumGracePeriod: Int64?, channelOffers: ChannelOffers,
      channelSender: any ChannelSender, push: ContactPush, watchmanKey: SharedKey?,
      ping: (@Sendable () throws -> Void)?, observer: any CheckInObserver = NoCheckInObserver(),
      lastPlace: @escaping @Sendable (ID<Person>, Instant, ReadTransaction) throws -> SharedPlace? =
        { _, _, _ in nil },
      participants: @escaping @Sendable () -> [any AccountParticipant]
    ) {
      self.observer = observer
      self.lastPlace = lastPlace
      self.participants = participants
      self.site = site
      self.mediaFolder = mediaFolder
      self.mailQueue = mailQueue
      self.limits = limits
      self.maximumGracePeriod = maximumGracePeriod
      self.ping = ping
      self.channelOffers = channelOffers
      self.channelSender = channelSender
      self.push = push
      self.watchmanKey = watchmanKey
    }
  }

  /// The kind of the job that evaluates alerts.
  public static let scanJob = CheckInScan.job
  /// The name of the heartbeat that records the time of the last scan.
  public static let scanHeartbeat = CheckInScan.heartbeat
  /// The name of the heartbeat of the handlers of all nodes.
  public static let handlersHeartbeat = OutageStore.heartbeat
  /// The name of the file with the key of a watchman, in the folder of secrets.
  public static let watchmanKeyFile = "watchman.key"
  public static let migrations = CheckInSchema.migrations
  public let jobs: [JobKind]
  public let participant: any AccountParticipant
  public let mailObserver: any DeliveryObserver
  public let doctorChecks: [DoctorCheck]
  public let healthChecks: [HealthCheck]
  public let gauges: [Gauge]
  public let counters: [Counter]
  /// Turns signs of life that other modules notice into check-ins.
  public let signs: SignService
  /// Sends messages to contacts by channels.
  public let channelDispatcher: ChannelDispatcher
  let services: CheckInEnvironment

  /// Compiles the mails of this module; throws errors in their templates.
  public init(_ needs: Dependencies) throws {
    let services = try CheckInEnvironment(
      site: needs.site, mediaFolder: needs.mediaFolder, queue: needs.mailQueue,
      limits: needs.limits,
      maximumGracePeriod: needs.maximumGracePeriod, channelOffers: needs.channelOffers,
      push: needs.push, watchmanKey: needs.watchmanKey, observer: needs.observer,
      lastPlace: needs.lastPlace, participants: needs.participants)
    self.services = services
    signs = SignService(services: services.withoutParticipants)
    channelDispatcher = ChannelDispatcher(
      services: services.withoutParticipants, sender: needs.channelSender)
    participant = CheckInParticipant(services: services.withoutParticipants)
    mailObserver = CheckInDeliveryObserver(services: services)
    jobs = CheckInJobs.all(services, ping: needs.ping)
    doctorChecks = CheckInDoctor(services: services.withoutParticipants).checks
    healthChecks = CheckInHealth.checks(services)
    gauges = CheckInHealth.gauges(services)
    counters = CheckInHealth.counters(services)
  }

  /// Reschedules a user who can be reached from now on, so that reminders are planned.
  public func canBeReached(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    try MonitorService(services: services).reschedule(person, now: now, in: writer)
  }

  /// The routes of this module (docs/developer/pages-and-forms.md#addresses); compiles its pages.
  public func routes(guests: GuestCreator) throws -> [Route] {
    let page = try CheckInPage(services, guests: guests)
    return try [
      Route(.get, CheckInLinks.page, .anyone, options: .noStore, handler: page.show),
      Route(
        .post, CheckInLinks.page, .anyone, options: [.noStore, .withoutKeptForm], handler: page.send
      ),
    ] + historyRoutes() + settingsRoutes() + timerRoutes() + contactRoutes()
      + EmailLinkRoutes.all(services) + WatchmanHook(services).routes
      + CheckInAPI(services).routes
  }

  private func historyRoutes() throws -> [Route] {
    let history = try HistoryPages(services)
    let record = try RecordPages(services)
    return [
      Route(.get, CheckInLinks.record, .atLeast(.guest), options: .noStore, handler: record.show),
      Route(
        .get, CheckInLinks.recordJSON, .atLeast(.guest), options: .noStore,
        handler: record.sendJSON),
      Route(.get, CheckInLinks.history, .atLeast(.guest), handler: history.show),
      Route(
        .get, CheckInLinks.csv, .atLeast(.guest), options: .noStore, handler: history.sendCSV),
      Route(
        .get, CheckInLinks.json, .atLeast(.guest), options: .noStore, handler: history.sendJSON),
    ]
  }

  private func settingsRoutes() throws -> [Route] {
    let settings = try SettingsPages(services)
    let signs = try SignPages(services)
    let path = CheckInLinks.settings
    return [
      Route(.get, CheckInLinks.signs, .atLeast(.guest), options: .noStore, handler: signs.show),
      Route(.post, CheckInLinks.signs, .atLeast(.guest), options: .noStore, handler: signs.change),
      Route(.get, path, .atLeast(.guest), options: .noStore, handler: settings.show),
      Route(
        .post, path, .atLeast(.guest), options: [.noStore, .withoutKeptForm, .paragraphs],
        handler: settings.save),
    ]
  }

  private func timerRoutes() throws -> [Route] {
    let (timer, help) = (try TimerPages(services), try HelpPages(services))
    return [
      Route(
        .get, CheckInLinks.timerPage, .atLeast(.guest), options: .noStore, handler: timer.show),
      Route(
        .post, CheckInLinks.timerPage, .atLeast(.guest),
        options: [.noStore, .withoutKeptForm, .paragraphs], handler: timer.change),
      Route(.get, CheckInLinks.help, .atLeast(.guest), options: .noStore, handler: help.show),
      Route(
        .post, CheckInLinks.help, .atLeast(.guest), options: [.noStore, .paragraphs],
        handler: help.call),
    ]
  }

  private func contactRoutes() throws -> [Route] {
    let contacts = try ContactListPages(services)
    let path = CheckInLinks.contacts
    let channels = try ChannelPages(services)
    let (one, removal) = ("\(path)/:id", "\(path)/:id/remove")
    return [
      Route(.get, path, .atLeast(.guest), options: .noStore, handler: contacts.show),
      Route(
        .post, path, .atLeast(.guest), options: [.noStore, .withoutKeptForm], handler: contacts.add),
      Route(.get, one, .atLeast(.guest), options: .noStore, handler: contacts.edit),
      Route(
        .post, one, .atLeast(.guest), options: [.noStore, .withoutKeptForm],
        handler: contacts.change),
      Route(
        .get, "\(one)/channels", .atLeast(.guest), options: .noStore, handler: channels.show),
      Route(
        .post, "\(one)/channels", .atLeast(.guest), options: [.noStore, .withoutKeptForm],
        handler: channels.change),
      Route(.get, removal, .atLeast(.guest), options: .noStore, handler: contacts.askRemoval),
      Route(
        .post, removal, .atLeast(.guest), options: [.noStore, .withoutKeptForm],
        handler: contacts.remove),
      Route(
        .post, "\(one)/undo", .atLeast(.guest), options: [.noStore, .withoutKeptForm],
        handler: contacts.restore),
    ]
  }

  /// Deletes the files of records that have expired on this node: a recurring job runs on one node
  /// only.
  public func removeOldRecordFiles() { services.recordFiles.removeOld() }

  /// Records that requests are being answered, which ends an outage.
  public func beat(now: Instant) throws {
    try services.outages.beat(now: now)
  }

  /// Records that a request was answered in plain-CGI mode. No process sends heartbeats there, so a
  /// missing heartbeat is not an outage.
  public func answered(now: Instant) throws {
    try services.outages.answered(now: now)
  }

  /// Whether alerts are suspended, until when and why; nil if they are not.
  public func alertSuspension(now: Instant) throws -> AlertSuspension? {
    try services.site.database.read { try services.outages.suspension(now: now, in: $0) }
  }

  /// The steps of this module after a restored backup; `maximumGracePeriod` as in `Dependencies`.
  public static func restoreSteps(maximumGracePeriod: Int64?) -> [RestoreStep] {
    [CheckInRestore.step(maximumGracePeriod: maximumGracePeriod)]
  }

  /// Handles mails of this module that are dropped from a restored backup.
  public static let droppedMails: MailRestore.Dropped = CheckInRestore.dropped

  /// Re-encrypts and re-hashes the data of this module for another key ring; returns the number of
  /// values.
  public static func reencrypt(from old: KeyRing, to new: KeyRing, in writer: WriteTransaction)
    throws -> Int
  {
    try ContactStore.email.reencrypt(from: old, to: new, in: writer)
      + MonitorStore.note.reencrypt(from: old, to: new, in: writer)
      + TimerStore.note.reencrypt(from: old, to: new, in: writer)
      + MonitorStore.sheet.reencrypt(from: old, to: new, in: writer)
      + ChannelStore.recipient.reencrypt(from: old, to: new, in: writer)
  }
}
