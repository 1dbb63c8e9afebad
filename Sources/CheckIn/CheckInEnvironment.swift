import Accounts
import Archive
import Core
import Database
import Foundation
import Mail
import Secrets
import Web

/// The services shared by the parts of this module.
struct CheckInEnvironment: Sendable {
  let site: AppEnvironment
  let people: UserDirectory
  let limits: RateLimitStore
  let queue: MailQueue
  let mailer: CheckInMailer
  let outages: OutageStore
  let checkIns = CheckInStore()
  let monitors: MonitorStore
  let contacts: ContactStore
  let alerts = AlertStore()
  let escalation = EscalationStore()
  let record = RecordStore()
  /// The files of records that are being downloaded.
  let recordFiles: DownloadArchives
  let signs = SignStore()
  let timers: TimerStore
  let watchman = WatchmanStore()
  /// The key of a watchman; nil without one.
  let watchmanKey: SharedKey?
  let channels: ChannelStore
  let channelOffers: ChannelOffers
  let push: ContactPush
  let links: MailLinks
  let observer: any CheckInObserver
  /// The last place that a user shares with a group; nil if there is none.
  let lastPlace: @Sendable (ID<Person>, Instant, ReadTransaction) throws -> SharedPlace?
  /// All modules that store data of a user, this one included.
  private var participants: @Sendable () -> [any AccountParticipant]

  init(
    site: AppEnvironment, mediaFolder: String, queue: MailQueue, limits: RateLimitStore,
    maximumGracePeriod: Int64?, channelOffers: ChannelOffers, push: ContactPush,
    watchmanKey: SharedKey?, observer: any CheckInObserver,
    lastPlace: @escaping @Sendable (ID<Person>, Instant, ReadTransaction) throws -> SharedPlace?,
    participants: @escaping @Sendable () -> [any AccountParticipant]
  ) throws {
    self.observer = observer
    self.lastPlace = lastPlace
    self.participants = participants
    self.site = site
    recordFiles = DownloadArchives("record-exports", mediaFolder: mediaFolder)
    self.queue = queue
    self.limits = limits
    people = UserDirectory(keys: site.keys)
    mailer = try CheckInMailer(
      templates: site.templates, catalogues: site.catalogues, baseURL: site.baseURL)
    outages = OutageStore(database: site.database, maximumGracePeriod: maximumGracePeriod)
    monitors = MonitorStore(keys: site.keys)
    contacts = ContactStore(keys: site.keys)
    timers = TimerStore(keys: site.keys)
    channels = ChannelStore(keys: site.keys)
    self.channelOffers = channelOffers.withPush(site.catalogues)
    self.push = push
    self.watchmanKey = watchmanKey
    links = MailLinks(keys: site.keys)
  }

  /// A copy for this module's own participant, which is one of `participants`. With them it would
  /// retain itself, and the open database with its lock, for ever.
  var withoutParticipants: CheckInEnvironment {
    var copy = self
    copy.participants = { [] }
    return copy
  }

  /// The time zone in which a user's days are counted.
  func zone(of card: UserSummary) -> TimeZone { personZone(of: card).zone }

  /// The user's time zone and how it is known.
  func personZone(of card: UserSummary) -> PersonTimeZone {
    PersonTimeZone(kept: card.timeZone, site: site.defaultTimeZone)
  }

  /// All check-ins of a user, oldest first. Ten years are about 3,700 short rows.
  func allCheckIns(of viewer: Viewer, today: LocalDay) throws -> [CheckIn] {
    // A user who has flown west may already have checked in for tomorrow.
    try site.database.read {
      try checkIns.all(
        of: viewer.id, from: LocalDay(number: 0), to: today.adding(days: 2), in: $0)
    }
  }

  var timeZones: TimeZoneService {
    TimeZoneService(database: site.database, participants: participants)
  }

  /// The monitoring state of an existing user; nil if the user has never saved anything here.
  func monitor(over card: UserSummary, now: Instant, in reader: ReadTransaction) throws
    -> CheckInMonitor?
  {
    let monitor = try monitors.monitor(
      over: card.id, zone: zone(of: card),
      canBeReminded: try card.address != nil || observer.reaches(card.id, in: reader), in: reader)
    return try monitor?.seen(at: now) {
      try checkIns.last(of: card.id, until: $0, in: reader).map { ($0.day, $0.tappedAt) }
    }
  }

  /// The data about a user that mails contain.
  func model(_ card: UserSummary, _ monitor: CheckInMonitor, now: Instant) -> CheckInMailModel {
    var model = CheckInMailModel(name: card.name, zone: personZone(of: card), now: now)
    model.missedDays = monitor.missedDays(now)
    model.threshold = monitor.threshold
    model.thresholdHours = monitor.thresholdHours
    model.alertMinute = monitor.alertMinute
    model.lastSeen = monitor.lastTap
    model.alertAt = monitor.alertMoment()
    return model
  }

  /// The same for one of the user's contacts, with links of the contact's own.
  func model(
    _ card: UserSummary, _ monitor: CheckInMonitor, to contact: Contact, now: Instant
  ) -> CheckInMailModel {
    var model = model(card, monitor, now: now)
    let token = links.token(for: contact.id)
    model.contactName = contact.name
    model.path = CheckInLinks.contact(token)
    model.stopPath = CheckInLinks.stop(token)
    return model
  }

  /// The place that the alert of a timer contains; nil if the user did not choose so.
  func place(of timer: CheckInTimer, now: Instant, in reader: ReadTransaction) throws
    -> SharedPlace?
  {
    timer.sharesPlace ? try lastPlace(timer.person, now, reader) : nil
  }

  func language(of card: UserSummary) -> Language { card.language ?? site.defaultLanguage }
}
