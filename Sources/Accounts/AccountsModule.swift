import Core
import Database
import Images
import Jobs
import Mail
import Media
import Secrets
import SignedTokens
import Web

/// Routes, jobs, migrations and checks of the Accounts module.
public struct AccountsModule: Sendable {
  /// Dependencies injected by App.
  public struct Dependencies: Sendable {
    public let site: AppEnvironment
    public let mailQueue: MailQueue
    public let limits: RateLimitStore
    public let passwordRules: PasswordRules
    public let hasher: PasswordHasher
    public let legal: LegalTexts
    public let imageProcessor: ImageProcessor
    public let media: any MediaStore
    /// The folder of the store if it is one of this machine.
    public let mediaFolder: String
    public let tokenKeys: TokenKeys
    /// The providers with which members may sign in.
    public let providers: [SignInProvider]
    /// The log of role changes and other staff actions.
    public let staffRecord: any AuditLogging
    /// The participants of all other features; this module adds its own.
    public let participants: @Sendable () -> [any AccountParticipant]
    /// The entries of the staff front page.
    public let staffEntries: [AdminMenuItem]
    /// Tells a user that an export is ready, in the transaction that makes it so.
    public let notifyExportReady: @Sendable (ID<Person>, Instant, WriteTransaction) throws -> Void
    /// The number of followers of a couple.
    public let followerCount: @Sendable (ID<Couple>, ReadTransaction) throws -> Int
    /// Whether a text is the valid code of a group, which invites guests. Throws 429.
    public let isGroupInvitation: @Sendable (String, Context) throws -> Bool

    public init(
      site: AppEnvironment, mailQueue: MailQueue, limits: RateLimitStore,
      passwordRules: PasswordRules,
      hasher: PasswordHasher, legal: LegalTexts, imageProcessor: ImageProcessor,
      media: any MediaStore, mediaFolder: String,
      tokenKeys: TokenKeys, providers: [SignInProvider], staffRecord: any AuditLogging,
      participants: @escaping @Sendable () -> [any AccountParticipant],
      staffEntries: [AdminMenuItem],
      notifyExportReady: @escaping @Sendable (ID<Person>, Instant, WriteTransaction) throws -> Void,
      followerCount: @escaping @Sendable (ID<Couple>, ReadTransaction) throws -> Int,
      isGroupInvitation: @escaping @Sendable (String, Context) throws -> Bool
    ) {
      self.staffRecord = staffRecord
      self.followerCount = followerCount
      self.isGroupInvitation = isGroupInvitation
      self.notifyExportReady = notifyExportReady
      self.staffEntries = staffEntries
      self.site = site
      self.mailQueue = mailQueue
      self.limits = limits
      self.passwordRules = passwordRules
      self.hasher = hasher
      self.legal = legal
      self.imageProcessor = imageProcessor
      self.media = media
      self.mediaFolder = mediaFolder
      self.tokenKeys = tokenKeys
      self.providers = providers
      self.participants = participants
    }
  }

  public static let migrations =
    AccountSchema.migrations + GuestSchema.migrations + EmailChangeSchema.migrations
    + SecondFactorSchema.migrations + PairSchema.migrations + AccountDeletionSchema.migrations
    + EmailUndoSchema.migrations + DaysTogetherSchema.migrations + TokenSchema.migrations
    + DeviceUnbindSchema.migrations
    + ModerationStatusSchema.migrations + CoupleMembersSchema.migrations
    + AnniversarySchema.migrations + EmailUndoSchema.passwordMigrations
    + TimeZoneSchema.migrations + SessionSchema.migrations + ProviderSchema.migrations
    + PasskeySchema.migrations + CoupleVersionSchema.migrations
    + UnitsSchema.migrations + CoupleVersionSchema.viewMigrations
  public let routes: [Route]
  public let jobs: [JobKind]
  public let participant: any AccountParticipant
  public let doctorChecks: [DoctorCheck]
  public let gauges: [Gauge]
  public let counters: [Counter]
  public let seeder: MemberSeeder
  /// Creates guests, for modules that are open to users without an account.
  public let guests: GuestCreator
  public let appointments: StaffRoleService
  public let operations: OperatorService
  public let timeZones: TimeZoneService
  let services: AccountsEnvironment

  /// Compiles the templates of this module. Throws if a template is invalid.
  public init(_ needs: Dependencies) throws {
    let database = needs.site.database
    let keys = needs.site.keys
    let people = PersonStore(database: database, keys: keys)
    let couples = CoupleStore(database: database)
    let mails = try AccountMailer(
      templates: needs.site.templates, queue: needs.mailQueue, baseURL: needs.site.baseURL)
    let settings = try SettingsEnvironment(
      database: database, keys: keys, queue: needs.mailQueue, templates: needs.site.templates,
      baseURL: needs.site.baseURL)
    let sessions = SessionStore(database: database)
    let secondFactor = SecondFactorService(
      database: database,
      store: SecondFactorStore(database: database, keys: keys, hasher: needs.hasher),
      people: people, sessions: sessions, limits: needs.limits,
      mails: try SecondFactorMailer(
        templates: needs.site.templates, people: people, queue: needs.mailQueue,
        baseURL: needs.site.baseURL, fallback: needs.site.defaultLanguage))
    let guestStore = GuestStore(database: database, keys: keys, hasher: needs.hasher)
    let registration = RegistrationService(
      database: database, registrations: RegistrationStore(database: database, keys: keys),
      people: people, couples: couples, guests: guestStore, members: MembershipStore(),
      identities: ProviderIdentityStore(keys: keys), passkeys: PasskeyStore(),
      mails: mails, limits: needs.limits)
    let pairMails = try PairMailer(
      templates: needs.site.templates, queue: needs.mailQueue, baseURL: needs.site.baseURL)
    let invitations = PairStore(keys: keys)
    let parting = SeparationService(
      database: database, partings: SeparationStore(), members: MembershipStore(), people: people,
      mails: pairMails, language: needs.site.defaultLanguage, participants: needs.participants)
    let deletions = DeletionStore(database: database)
    let exports = ExportStore(database: database)
    let own = AccountsParticipant(
      people: people, emailChanges: settings.emailChanges, deletions: deletions,
      exports: exports, mailQueue: needs.mailQueue)
    // The account's own participant comes last: rows of the others reference the user.
    let participants: @Sendable () -> [any AccountParticipant] = { needs.participants() + [own] }
    let accountDeletion = AccountDeletionService(
      site: needs.site, store: deletions, people: people, sessions: sessions, exports: exports,
      removals: FileDeletionQueue(
        database: database, media: needs.media, mediaFolder: needs.mediaFolder),
      mailQueue: needs.mailQueue,
      mails: try AccountDeletionMailer(
        templates: needs.site.templates, queue: needs.mailQueue, baseURL: needs.site.baseURL),
      limits: needs.limits, participants: participants)
    let devices = DeviceStore(database: database, keys: keys)
    let services = AccountsEnvironment(
      site: needs.site, people: people, couples: couples, sessions: sessions,
      secondFactor: secondFactor,
      staff: StaffStore(database: database), registration: registration, guests: guestStore,
      pairing: PairingService(
        database: database, invitations: invitations, people: people, couples: couples,
        members: MembershipStore(), parting: parting, registration: registration,
        mails: pairMails, accountMails: mails, limits: needs.limits,
        participants: needs.participants),
      parting: parting,
      tokens: TokenService(
        database: database, devices: devices, keys: needs.tokenKeys, baseURL: needs.site.baseURL),
      devices: devices, mailedCodes: MailedCodeStore(keys: keys),
      appMails: try SecurityMailer(
        templates: needs.site.templates, queue: needs.mailQueue, baseURL: needs.site.baseURL),
      mails: mails, providers: needs.providers, identities: ProviderIdentityStore(keys: keys),
      passkeys: PasskeyStore(),
      providerMails: try ProviderMailer(
        templates: needs.site.templates, queue: needs.mailQueue, baseURL: needs.site.baseURL),
      limits: needs.limits,
      passwordRules: needs.passwordRules, hasher: needs.hasher, legal: needs.legal,
      settings: settings, imageProcessor: needs.imageProcessor, media: needs.media,
      participants: participants, accountDeletion: accountDeletion, exports: exports,
      staffRecord: needs.staffRecord, staffEntries: needs.staffEntries,
      notifyExportReady: needs.notifyExportReady, followerCount: needs.followerCount,
      isGroupInvitation: needs.isGroupInvitation)
    self.services = services
    timeZones = services.timeZones
    participant = own
    routes = try AccountRoutes.all(services)
    jobs = AccountJobs.all(services)
    guests = GuestCreator(services)
    seeder = MemberSeeder(services)
    appointments = StaffRoleService(services)
    operations = OperatorService(services)
    doctorChecks = AccountsDoctor(keys: keys, clock: needs.site.clock).checks
    gauges = [
      Gauge("pairspot_members", "Members, without guests.") { _ in try people.memberCount() }
    ]
    counters = [PersistentCounter.people.counter(in: database)]
  }

  /// The route of the front page of staff. `health` returns the state of the instance, for admins.
  public func staffRoute(
    health: @escaping @Sendable (Context) throws -> StaffHealth
  ) throws -> Route {
    let staff = try StaffPages(services, health: health)
    // Open to guests and above: users who are not staff get the page's own 404, and future staff
    // are sent to their setup.
    return Route(.get, "/admin", .atLeast(.guest), options: .noStore, handler: staff.show)
  }

  /// The steps of this module after a backup is restored.
  public static let restoreSteps = [AccountsRestore.step]
  /// The files that rows of this module reference.
  public static let namedFiles = [AccountFiles.named]

  /// Those of these files below the folder of exports that no row references.
  public static func unnamedExports(
    _ paths: [String], in reader: ReadTransaction
  ) throws -> [String] {
    try ExportStore.unnamed(paths, in: reader)
  }

  /// Those of these files of avatars that no row references.
  public static func unnamedAvatars(
    _ paths: [String], in reader: ReadTransaction
  ) throws -> [String] {
    try AccountFiles.unnamedAvatars(paths, in: reader)
  }

  /// Checks that the keys decrypt the values in a database. Throws `SealError` if they don't.
  public static func tryKeys(_ keys: KeyRing, in reader: ReadTransaction) throws {
    try AccountsRestore.tryKeys(keys, in: reader)
  }

  /// Encrypts and hashes the values of this module with another key ring; returns how many.
  public static func reencrypt(from old: KeyRing, to new: KeyRing, in writer: WriteTransaction)
    throws -> Int
  {
    try PersonStore.email.reencrypt(from: old, to: new, in: writer)
      + RegistrationStore.email(1).reencrypt(from: old, to: new, in: writer)
      + RegistrationStore.email(2).reencrypt(from: old, to: new, in: writer)
      + EmailChangeStore.email.reencrypt(from: old, to: new, in: writer)
      + SecondFactorStore.secret.reencrypt(from: old, to: new, in: writer)
      + EmailUndoStore.email.reencrypt(from: old, to: new, in: writer)
      + PairStore.email.reencrypt(from: old, to: new, in: writer)
      + ProviderIdentityStore.identity.reencrypt(from: old, to: new, in: writer)
  }
}
