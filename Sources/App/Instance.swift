import Accounts
import Backup
import CheckIn
import Core
import Database
import Feed
import Foundation
import HTTPClient
import Images
import Jobs
import Live
import Logging
import Mail
import Media
import Messages
import Notices
import OpenIDConnect
import Secrets
import SignedTokens
import Templates
import Web
import WebPush

/// All parts of one instance, put together: used by handlers, worker and doctor.
public struct Instance: Sendable {
  /// Options that tests set differently from the product.
  public struct Options: Sendable {
    /// The descriptor of the security log; -1: none.
    public var securityLogDescriptor: Int32 = -1
    /// The binary logarithm of bcrypt's rounds (docs/developer/sessions-and-tokens.md#signing-in).
    public var passwordCost = 12
    /// The program that processes pictures, and its first arguments.
    public var pictureProgram = Installation.pictureProgram
    public var pictureArguments: [String] = []
    /// The programs that read films and voice notes; without them, only pictures are offered.
    public var ffmpeg = "/usr/bin/ffmpeg"
    public var ffprobe = "/usr/bin/ffprobe"
    public var clock: (any Clock)?
    /// Collects statements for the tests of their query plans.
    public var statementLog: StatementLog?
    /// Catalogues and templates of this checkout that were read before: the tests open a thousand
    /// instances.
    public var readBefore: (catalogues: Catalogues, templates: TemplateSet)?
    /// The descriptor of the request log; -1: none.
    public var requestLogDescriptor: Int32 = -1
    /// The descriptor of the general log; by default standard error, where commands report errors.
    public var logDescriptor: Int32 = STDERR_FILENO
    /// Sends pushes to their services; nil for the real sender.
    public var pushSender: (any PushSender)?
    /// The smallest number of posts of a feed with promotions.
    public var minimumPromotedFeed = 20
    public var channelOffers: ChannelOffers?
    public var channelSender: (any ChannelSender)?
    /// Sends requests to OpenID providers; nil for the network.
    public var providerTransport: (any ProviderTransport)?
    /// The result of `makeFolders`, if the caller needed the folders before the application.
    var lock: FolderLock?
    public var resolve: @Sendable (String) -> [String] = PublicAddress.resolve

    public init() {}
  }

  public let configuration: Configuration
  public let database: Database
  public let keys: KeyRing
  public let site: AppEnvironment
  public let application: Application
  /// Every address and its access.
  let routes: [Route]
  public let jobs: [JobKind]
  public let jobStore: JobStore
  public let mailQueue: MailQueue
  public let mailObservers: [any DeliveryObserver]
  public let participants: [any AccountParticipant]
  public let doctorChecks: [DoctorCheck]
  let testMail: MailTemplate<TestMail>
  let assets: Assets
  let features: Features
  let templateCheck: TemplateCheck
  /// Held as long as the database is open, by any part of the application: no backup can be
  /// restored in that time.
  let lock: FolderLock

  /// Reads the catalogues and all templates of a folder. Templates that `check` has verified are
  /// not compiled yet.
  static func read(
    in folder: String, _ check: TemplateCheck? = nil
  ) throws -> (catalogues: Catalogues, templates: TemplateSet) {
    let isChecked = check?.isPassed ?? false
    let catalogues = try Catalogues(
      directory: Configuration.cataloguesFolder(of: folder), isChecked: isChecked)
    let templates = try TemplateSet(
      directory: folder, catalogues: catalogues, isChecked: isChecked,
      onError: { check?.forget() })
    if isChecked, check?.stillHolds == false { return try read(in: folder) }
    return (catalogues, templates)
  }

  /// Makes an instance's folders, and returns the lock that keeps other processes from replacing
  /// them. Throws errors with a message for the operator.
  static func makeFolders(_ configuration: Configuration) throws -> FolderLock {
    // Finishes an interrupted restore before anything is created in its way.
    let lock = try Folders.open(configuration) {
      FileHandle.standardError.write(Data("\($0)\n".utf8))
    }
    try Folders.make(configuration)
    return lock
  }

  /// Opens the instance: makes its folders and secrets, migrates the schema, compiles every
  /// template unless that was done before. Throws errors with a message for the operator.
  public init(_ configuration: Configuration, options: Options = Options()) throws {
    self.configuration = configuration
    lock = try options.lock ?? Self.makeFolders(configuration)
    try configuration.checkMediaFolder()
    // New keys for an old database would make every address in it unreadable for good. Another node
    // that starts for the first time makes its keys before it migrates.
    if try configuration.database.hasData(), !KeyRing.isKept(in: configuration.secretsFolder) {
      throw KeysMissing(folder: configuration.secretsFolder)
    }
    let kept = try KeyRing.loadOrMake(in: configuration.secretsFolder)
    // Read first: an upgrade that can't read its own files must not change the database of the
    // previous program.
    templateCheck = TemplateCheck(configuration)
    let (catalogues, templates) =
      try options.readBefore
      ?? Self.read(in: configuration.templatesFolder, templateCheck)
    assets = try Assets(configuration)
    database = try configuration.database.open(log: options.statementLog, holding: lock)
    try database.migrate(Migrations.all)
    if !database.isSQLite { try KeyRotation.recordFirst(kept, database) }
    keys = try KeyRotation.reconcile(kept, database, in: configuration.secretsFolder)
    let clock: any Clock = options.clock ?? configuration.clock
    testMail = try MailTemplate("staff/trial", templates: templates)
    let metrics = Metrics()
    let logger = Logger(label: "pairspot") { _ in
      JSONLineLog(descriptor: options.logDescriptor, clock: clock)
    }
    var health = HealthMonitor(
      database: database, jobs: JobStore(database: database),
      mail: MailHealth(database: database), disks: DiskSpaceMonitor(configuration))
    let tokenKeys = try TokenKeys.loadOrMake(
      in: configuration.secretsFolder, now: clock.now())
    let access = AccountTokenAuthenticator(
      database: database, keys: keys, tokenKeys: tokenKeys, baseURL: configuration.baseURL)
    var site = Self.site(
      configuration, database: database, access: access, keys: keys, catalogues: catalogues,
      templates: templates,
      assets: assets, clock: clock, metrics: metrics, logger: logger,
      securityLog: SecurityLog(
        descriptor: options.securityLogDescriptor, keys: keys, metrics: metrics))
    // Templates that were read before are shared with other instances.
    if options.readBefore != nil { site.reloadsTemplates = false }
    site.hasCoins = configuration.wallet.isOn
    site.mediaURL = configuration.mediaURL
    self.site = site
    let mailQueue = MailQueue(
      database: database, keys: keys, sender: Self.sender(configuration, clock: clock),
      fromName: configuration.fromName, from: configuration.from)
    self.mailQueue = mailQueue
    jobStore = JobStore(database: database)
    let limits = RateLimitStore(
      database: database, keys: keys, isOn: configuration.countsRates)
    let media = configuration.media { logger.error("\($0)") }
    features = try Features(
      configuration, options, site: site, mailQueue: mailQueue, limits: limits,
      tokenKeys: tokenKeys, media: media)
    let certificate = ServedCertificate(configuration)
    let redis = RedisHealth(configuration)
    health.others = features.healthChecks + certificate.healthChecks + redis.healthChecks
    let mailObservers = features.mailObservers
    self.mailObservers = mailObservers
    participants = features.participants
    var jobs = Timetable.all(
      configuration, features: features, mailQueue: mailQueue, limits: limits)
    if configuration.bucket != nil {
      jobs.append(BucketCleanupJob(media: media, database: database).kind)
    }
    self.jobs = jobs
    doctorChecks =
      [
        database.isSQLite
          ? DoctorCheck.integrity
          : ServerCheck.check(connections: configuration.databaseConnections),
        ProgramDoctor.pictures(options.pictureProgram),
      ]
      + DataDoctor(configuration, disks: health.disks).checks
      + (configuration.bucket == nil ? [] : BucketDoctor(media: media).checks)
      + JobsDoctor(jobs, clock: clock).checks + MailDoctor(mailQueue, clock: clock).checks
      + LiveDoctor(clock: clock).checks + redis.doctorChecks + features.doctorChecks
    let system = SystemPages(
      site: site, health: health,
      gauges: features.gauges + health.gauges + certificate.gauges + [Self.liveGauge(database)],
      counters: features.counters + health.counters + SecurityLog.counters(of: metrics))
    let staffHealth = try StaffHealthPages(
      site: site, health: health, alertSuspension: features.checkIn.alertSuspension)
    let devMail = try DevMailPages(site: site, configuration: configuration)
    let webhook = configuration.resendSignature.map {
      ResendWebhook(signature: $0, queue: mailQueue, observers: mailObservers, logger: logger)
    }
    let shells = ShellPages(site: site, assets: assets)
    routes = try Routes.all(
      site: site, features: features, system: system, staffHealth: staffHealth, shells: shells,
      devMail: devMail,
      resendWebhook: webhook)
    application = try Application(
      site: site, routes: routes,
      log: RequestLog(descriptor: options.requestLogDescriptor, keys: keys),
      timeZones: features.accounts.timeZones)
  }

  private static func site(
    _ configuration: Configuration, database: Database, access: AccountTokenAuthenticator,
    keys: KeyRing,
    catalogues: Catalogues, templates: TemplateSet, assets: Assets, clock: any Clock,
    metrics: Metrics, logger: Logger, securityLog: SecurityLog
  ) -> AppEnvironment {
    AppEnvironment(
      baseURL: configuration.baseURL, host: configuration.host,
      cookieStyle: Cookies.Style(secure: configuration.isSecure, port: configuration.publicPort),
      isDevelopment: configuration.isDevelopment, countsRates: configuration.countsRates,
      trustedProxies: configuration.trustedProxies, profile: configuration.profile,
      defaultLanguage: configuration.language,
      defaultTimeZone: configuration.timeZone, clock: clock, database: database, keys: keys,
      catalogues: catalogues, templates: templates, assets: { assets.path },
      uploadFolder: configuration.uploadFolder, sessions: SessionStore(database: database),
      access: access, tabs: Routes.tabs, unread: UnreadCountStore(),
      staffMenu: AdminMenu(items: Features.staffEntries(configuration), database: database),
      settingsMenu: SettingsList(),
      tiles: configuration.tiles, metrics: metrics, logger: logger,
      securityLog: securityLog)
  }

  private static func liveGauge(_ database: Database) -> Gauge {
    let outbox = LiveOutbox(database: database)
    return Gauge("pairspot_live_waiting", "Messages of live streams to be sent.") { _ in
      try outbox.count()
    }
  }

  static func sender(_ configuration: Configuration, clock: any Clock) -> any MailSender {
    switch configuration.mail {
    case .file: FileSender(directory: configuration.mailFolder, clock: clock)
    case .smtp(let sender): sender
    case .resend(let sender): sender
    }
  }
}

/// There is a database, but not the keys that it was written with.
struct KeysMissing: Error, CustomStringConvertible {
  let folder: String

  var description: String {
    "\(folder) has no keys.json, but there is a database: restore its keys from the backup, or "
      + "start with an empty data folder"
  }
}
