import Accounts
import Album
import CheckIn
import Core
import Database
import Feed
import Films
import Foundation
import Groups
import HTTPClient
import Images
import Mail
import Media
import Messages
import Moderation
import Moments
import Notices
import Secrets
import SignedTokens
import Synchronization
import Trainings
import Wallet
import Web
import WebPush
import Workouts

/// The features, each with its dependencies. A new feature gets a line in each list.
struct Features: Sendable {
  let films: FilmProcessor
  let accounts: AccountsModule
  let feed: FeedModule
  let checkIn: CheckInModule
  let album: AlbumModule
  let checkInRoutes: [Route]
  let trainings: TrainingsModule
  let workouts: WorkoutsModule
  let groups: GroupsModule
  let groupRoutes: [Route]
  let messages: MessagesModule
  let moments: MomentsModule
  let moderation: ModerationModule
  let notices: NoticesModule
  let wallet: WalletModule
  /// The account itself comes last: rows of a person refer to it.
  let participants: [any AccountParticipant]

  init(
    _ configuration: Configuration, _ options: Instance.Options, site: AppEnvironment,
    mailQueue: MailQueue,
    limits: RateLimitStore, tokenKeys: TokenKeys, media: any MediaStore
  ) throws {
    let imageProcessor = ImageProcessor(
      executable: options.pictureProgram, arguments: options.pictureArguments,
      maximumChildren: ProcessInfo.processInfo.activeProcessorCount,
      maximumWaiting: max(1, configuration.threads / 4))
    let films = FilmProcessor(
      ffmpeg: options.ffmpeg, ffprobe: options.ffprobe, limiter: options.pictureProgram,
      maximumChildren: max(1, ProcessInfo.processInfo.activeProcessorCount / 2),
      // A film waits for another one, but half of few threads are left for pages.
      maximumWaiting: max(min(2, configuration.threads / 2), configuration.threads / 4),
      timeout: 140)
    self.films = films
    let board = NoticeService()
    let vapidKey = try VapidKey.loadOrMake(in: configuration.secretsFolder)
    let pushSender =
      options.pushSender ?? WebPushSender(key: vapidKey, subject: configuration.vapidSubject)
    let registry = ParticipantRegistry()
    let checkIn = try CheckInModule(
      .init(
        site: site, mediaFolder: configuration.mediaFolder, mailQueue: mailQueue, limits: limits,
        maximumGracePeriod: configuration.maximumGracePeriod,
        channelOffers: options.channelOffers ?? configuration.channelOffers,
        channelSender: options.channelSender
          ?? AllChannelsSender(
            appriseInterpreter: configuration.appriseInterpreter, clock: configuration.clock,
            push: PushChannelSender(
              sender: pushSender, services: configuration.pushServices,
              clock: configuration.clock)),
        push: ContactPush(
          publicKey: vapidKey.publicText, services: configuration.pushServices,
          resolve: options.resolve),
        watchmanKey: try SharedKey.load(
          CheckInModule.watchmanKeyFile, in: configuration.secretsFolder),
        ping: configuration.pingURL.map(Self.ping), observer: CheckInNotifier(board: board),
        lastPlace: { person, now, reader in
          try GroupsModule.lastPlace(of: person, now: now, in: reader).map {
            SharedPlace(
              latitude: $0.position.latitude, longitude: $0.position.longitude, at: $0.at)
          }
        },
        participants: { registry.participants }))
    self.checkIn = checkIn
    let feed = try FeedModule(
      .init(
        site: site, imageProcessor: imageProcessor, media: media,
        limits: limits,
        observer: FeedNotifier(
          board: board, signs: checkIn.signs, messages: ConversationUpdates(database: site.database)
        ),
        promotions: configuration.wallet.isOn ? WalletPromotionAdapter() : NoPromotions(),
        minimumPromotedFeed: options.minimumPromotedFeed,
        today: Self.today,
        moments: HomeMoments.row,
        ownReports: { try OwnReportAdapter.open($0, now: $1.now, in: $2) }))
    self.feed = feed
    let messages = try MessagesModule(
      .init(
        site: site, imageProcessor: imageProcessor, films: films, media: media,
        mediaFolder: configuration.mediaFolder, limits: limits,
        observer: MessageNotifier(board: board),
        areMutual: { try FollowStore.areMutual($0, $1, in: $2) },
        isEvidence: {
          try ModerationModule.isEvidence($0.cast(to: ReportedMessage.self), since: $1, in: $2)
        }))
    self.messages = messages
    let notices = try NoticesModule(
      .init(
        site: site, limits: limits, vapidKey: vapidKey, pushServices: configuration.pushServices,
        pushSender: pushSender, pushTexts: MessagePushAdapter(pushes: messages.pushes),
        resolve: options.resolve, reached: checkIn.canBeReached))
    self.notices = notices
    let album = try AlbumModule(
      .init(
        site: site, imageProcessor: imageProcessor, media: media,
        mediaFolder: configuration.mediaFolder,
        posts: PicturePostAdapter(publishing: feed.publishing), limits: limits,
        quota: configuration.photoQuota))
    self.album = album
    let moments = try MomentsModule(
      .init(
        site: site, imageProcessor: imageProcessor, films: films, media: media,
        mediaFolder: configuration.mediaFolder, limits: limits,
        answers: MomentAnswerAdapter(messages: messages.momentAnswers),
        album: MomentAlbumAdapter(album: album)))
    self.moments = moments
    let trainings = try TrainingsModule(
      .init(
        site: site, imageProcessor: imageProcessor, media: media,
        mediaFolder: configuration.mediaFolder, record: AuditLog(),
        recorder: WorkoutRecorderAdapter()))
    self.trainings = trainings
    let signs = checkIn.signs
    let workouts = try WorkoutsModule(
      .init(
        site: site, mediaFolder: configuration.mediaFolder, limits: limits,
        trainings: FollowedTrainingAdapter(store: trainings.store),
        posts: PicturePostAdapter(publishing: feed.publishing),
        observer: WorkoutNotifier(board: board),
        uploaded: { try signs.noticed(.workout, of: $0, now: $1, in: $2) }))
    self.workouts = workouts
    let groups = GroupsModule(
      .init(
        site: site, limits: limits, imageProcessor: imageProcessor,
        observer: GroupNotifier(board: board)))
    self.groups = groups
    let moderation = try ModerationModule(
      .init(
        site: site, mailQueue: mailQueue, limits: limits,
        posts: FeedReportAdapter(moderation: feed.moderation),
        comments: CommentReportAdapter(moderation: feed.commentModeration),
        messages: MessageReportAdapter(moderation: messages.moderation),
        moments: MomentReportAdapter(moderation: moments.moderation),
        block: feed.block, threshold: configuration.reportThreshold,
        observer: ModerationNotifier(board: board)))
    self.moderation = moderation
    let wallet = try WalletModule(
      .init(
        site: site, limits: limits, settings: configuration.wallet,
        posts: WalletPostAdapter(promotion: feed.promotion),
        log: VoucherAuditLog(moderation: moderation)))
    self.wallet = wallet
    let others: [any AccountParticipant] = [
      moderation.participant, feed.participant, checkIn.participant, album.participant,
      workouts.participant, groups.participant, messages.participant, moments.participant,
      notices.participant, wallet.participant,
    ]
    accounts = try AccountsModule(
      .init(
        site: site, mailQueue: mailQueue, limits: limits,
        passwordRules: PasswordRules(
          listPath: "\(configuration.templatesFolder)/passwords/common.txt",
          filterPath: "\(configuration.templatesFolder)/passwords/breached.filter",
          siteNames: [
            "pairspot", configuration.fromName,
            configuration.host.split(separator: ":").first.map(String.init) ?? "",
          ]),
        hasher: PasswordHasher(
          key: site.keys.derivedKey(purpose: "passwords"), cost: options.passwordCost,
          waiting: max(1, configuration.threads / 2)),
        legal: LegalTexts(
          templates: configuration.templatesFolder, termsFile: configuration.termsFile,
          privacyFile: configuration.privacyFile),
        imageProcessor: imageProcessor, media: media, mediaFolder: configuration.mediaFolder,
        tokenKeys: tokenKeys,
        providers: configuration.providers.map { $0.made(options.providerTransport) },
        staffRecord: AuditLog(),
        participants: { others },
        staffEntries: Self.staffEntries(configuration),
        notifyExportReady: { person, now, writer in
          // A newer export replaces the notice.
          try board.forget([.exportReady], subject: person.bytes, of: person, in: writer)
          try board.notify(
            person, NewNotice(.exportReady, subject: person.bytes, path: AccountLinks.export),
            now: now, in: writer)
        },
        followerCount: FollowStore.followers,
        isGroupInvitation: { try groups.isInvitation($0, $1) }))
    participants = others + [accounts.participant]
    checkInRoutes = try checkIn.routes(guests: accounts.guests)
    groupRoutes = try groups.routes(guests: accounts.guests)
    registry.set(participants)
  }

  /// The entries of the admin menu.
  static func staffEntries(_ configuration: Configuration) -> [AdminMenuItem] {
    ModerationModule.staffEntries + TrainingsModule.staffEntries
      + (configuration.wallet.isOn ? WalletModule.staffEntries : []) + [
        ModerationModule.logEntry,
        AdminMenuItem(StaffHealthPages.path, icon: "info", "admin.health", for: .admin),
      ]
  }

  /// Collects the content of the home page that other modules give.
  private static func today(
    _ viewer: Viewer, _ context: Context, in reader: ReadTransaction
  ) throws -> HomeToday {
    let groups = try GroupsModule.openGroups(of: viewer.id, limit: 3, in: reader)
    let today = try CheckInToday(viewer, context, in: reader)
    return HomeToday(
      checkIn: today.hasCheckedIn.map { $0 ? .done : .due } ?? .none,
      timer: today.timer, alert: today.alert,
      received: today.received.map { HomeToday.ReceivedAlert(text: $0.text, path: $0.path) },
      groups: groups.map(HomeToday.Group.init))
  }

  /// Requests a URL; throws unless the status is 2xx.
  private static func ping(_ url: String) -> @Sendable () throws -> Void {
    {
      let answer = try HTTPClient(timeout: 10).send(HTTPCall("GET", url))
      guard 200..<300 ~= answer.status else {
        throw HTTPClientError.unreachable("it answered \(answer.status)")
      }
    }
  }

  /// The observers of mail deliveries.
  var mailObservers: [any DeliveryObserver] { [checkIn.mailObserver] }
  var doctorChecks: [DoctorCheck] {
    accounts.doctorChecks + feed.doctorChecks + checkIn.doctorChecks + album.doctorChecks
      + workouts.doctorChecks + groups.doctorChecks + messages.doctorChecks
      + moments.doctorChecks + moderation.doctorChecks
      + notices.doctorChecks + wallet.doctorChecks
  }
  var gauges: [Gauge] {
    accounts.gauges + feed.gauges + checkIn.gauges + album.gauges + workouts.gauges
      + groups.gauges + moderation.gauges + notices.gauges + wallet.gauges
  }
  var counters: [Counter] { accounts.counters + checkIn.counters }
  var healthChecks: [HealthCheck] { checkIn.healthChecks }
}

/// The account participants of all modules, for modules that are created before the others.
private final class ParticipantRegistry: Sendable {
  private let list = Mutex<[any AccountParticipant]>([])

  var participants: [any AccountParticipant] { list.withLock { $0 } }

  func set(_ all: [any AccountParticipant]) { list.withLock { $0 = all } }
}
