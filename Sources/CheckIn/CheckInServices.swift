import Accounts
import Basics
import Database
import Foundation
import Mail
import Secrets
import Web

/// What the parts of this module share.
struct CheckInServices: Sendable {
  let site: Site
  let people: PeopleDirectory
  let limits: RateLimitStore
  let queue: MailQueue
  let letters: CheckInLetters
  let outages: OutageStore
  let checkIns = CheckInStore()
  let watches: WatchStore
  let contacts: ContactStore
  let alerts = AlertStore()
  let links: MailLinks
  let news: any CheckInNews
  /// Every room that keeps something of a person, this one among them.
  private var participants: @Sendable () -> [any AccountParticipant]

  init(
    site: Site, queue: MailQueue, limits: RateLimitStore, mostGrace: Int64?,
    news: any CheckInNews, participants: @escaping @Sendable () -> [any AccountParticipant]
  ) throws {
    self.news = news
    self.participants = participants
    self.site = site
    self.queue = queue
    self.limits = limits
    people = PeopleDirectory(keys: site.keys)
    letters = try CheckInLetters(
      templates: site.templates, catalogues: site.catalogues, baseURL: site.baseURL)
    outages = OutageStore(database: site.database, mostGrace: mostGrace)
    watches = WatchStore(keys: site.keys)
    contacts = ContactStore(keys: site.keys)
    links = MailLinks(keys: site.keys)
  }

  /// For this module's own participant, which stands among them: with them it would hold itself,
  /// and the open house with its lock, for good.
  var withoutParticipants: CheckInServices {
    var copy = self
    copy.participants = { [] }
    return copy
  }

  /// The zone in which a person's days are counted.
  func zone(of card: PersonCard) -> TimeZone { personZone(of: card).zone }

  /// The same, and how it is known.
  func personZone(of card: PersonCard) -> PersonTimeZone {
    PersonTimeZone(kept: card.timeZone, site: site.defaultTimeZone)
  }

  /// Every check-in of somebody, oldest first. Ten years are some 3,700 short rows.
  func allCheckIns(of viewer: Viewer, today: LocalDay) throws -> [CheckIn] {
    // Who has flown west may have checked in for tomorrow already.
    try site.database.read {
      try checkIns.all(
        of: viewer.id, from: LocalDay(number: 0), to: today.adding(days: 2), in: $0)
    }
  }

  var timeZones: TimeZoneService {
    TimeZoneService(database: site.database, participants: participants)
  }

  /// The watch over a living person; nil for who has never saved anything here.
  func watch(over card: PersonCard, now: Instant, in reader: Reader) throws -> Watch? {
    let watch = try watches.watch(
      over: card.id, zone: zone(of: card),
      canBeReminded: try card.address != nil || news.reaches(card.id, in: reader), in: reader)
    return try watch?.seen(at: now) {
      try checkIns.last(of: card.id, until: $0, in: reader).map { ($0.day, $0.tappedAt) }
    }
  }

  /// What letters say of a person.
  func facts(_ card: PersonCard, _ watch: Watch, now: Instant) -> LetterFacts {
    var facts = LetterFacts(name: card.name, zone: personZone(of: card), now: now)
    facts.missedDays = watch.missedDays(now)
    facts.threshold = watch.threshold
    facts.alertMinute = watch.alertMinute
    facts.lastSeen = watch.lastTap
    facts.alertAt = watch.alertMoment()
    return facts
  }

  /// The same for one of their contacts, who gets links of their own.
  func facts(
    _ card: PersonCard, _ watch: Watch, to contact: Contact, now: Instant
  ) -> LetterFacts {
    var facts = facts(card, watch, now: now)
    let token = links.token(for: contact.id)
    facts.contactName = contact.name
    facts.path = CheckInLinks.contact(token)
    facts.stopPath = CheckInLinks.stop(token)
    return facts
  }

  func language(of card: PersonCard) -> Language { card.language ?? site.defaultLanguage }
}
