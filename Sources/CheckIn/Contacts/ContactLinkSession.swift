import Accounts
import Core
import Database
import Foundation
import Mail
import Templates
import Web

/// A contact who opened the link in a mail or is signed in, and what the contact may know of the
/// user. It contains no address to show, not even the contact's own.
struct ContactLinkSession {
  /// For how long the page names the end of an alert, in s.
  private static let shownAfterEnd: Int64 = .days(7)

  let contact: Contact
  let card: UserSummary
  let monitor: CheckInMonitor
  /// The time zone of the user's days and hours.
  let zone: PersonTimeZone
  /// The contact was removed and is kept because of an alert that was sent to them.
  let isRemoved: Bool
  /// The open alert that was sent to this contact.
  let alert: Alert?
  /// The one before it that is still open: a timer can run out during a silence.
  let earlierAlert: Alert?
  /// When the last alert that was sent to this contact ended; nil while one is open, and after a
  /// week.
  let lastEnd: Instant?
  /// The name of the contact who has reached the user; "" if unknown or an address.
  let reachedBy: String
  /// The channels of this contact whose code can be entered.
  let unprovenChannels: [ContactChannel]
  /// Whether the user has a sheet that this contact may read now.
  let hasSheet: Bool
  /// The timer that one of the alerts is about.
  let timer: CheckInTimer?
  /// The last place that the user shared with a group, if this contact may see it.
  let place: SharedPlace?
  /// How far the alert has got with each contact.
  let progress: [ContactProgress]

  /// Nil if the link's owner is no longer a contact. Throws 404 for an invalid link.
  init?(_ services: CheckInEnvironment, _ context: Context, in reader: ReadTransaction) throws {
    guard let contact = try Self.contact(services, context, in: reader),
      let card = try services.people.card(contact.person, in: reader)
    else { return nil }
    let alerts = try Self.alerts(for: contact, services, in: reader)
    let alert = alerts.last
    let isRemoved = try services.contacts.isRemoved(contact.id, in: reader)
    if isRemoved && alert == nil { return nil }
    self.contact = contact
    self.card = card
    zone = services.personZone(of: card)
    self.alert = alert
    earlierAlert = alerts.dropLast().last
    lastEnd =
      alert == nil
      ? try services.escalation.lastEnd(
        for: contact.id, since: context.now.adding(seconds: -Self.shownAfterEnd), in: reader) : nil
    self.isRemoved = isRemoved
    monitor =
      try services.monitor(over: card, now: context.now, in: reader)
      ?? CheckInMonitor(zone: services.zone(of: card))
    reachedBy =
      try alert?.reachedBy.flatMap { try services.contacts.find($0, in: reader) }?.nameForOthers
      ?? ""
    unprovenChannels = try services.channels.all(of: contact, in: reader).filter {
      $0.codeSentAt != nil && services.channelOffers.find($0.offer) != nil
    }
    progress = try alert.map { try services.escalation.progress(of: $0, in: reader) } ?? []
    let settings = try services.monitors.settings(of: card.id, in: reader)
    timer =
      alerts.contains { $0.timer != nil }
      ? try services.timers.find(of: contact.person, in: reader) : nil
    let mayKnow = !isRemoved && !contact.isAsked
    place =
      mayKnow
      ? try timer.flatMap { try services.place(of: $0, now: context.now, in: reader) } : nil
    hasSheet = alert != nil && mayKnow && settings?.sheet.isEmpty == false
    if let settings {
      context.fallBack(to: settings.contactLanguage)
    }
  }

  /// The contact of the link, or the one that the path names; nil if they are no longer a contact.
  /// Throws 404 for an invalid link, and unless the contact in the path is the viewer.
  static func contact(
    _ services: CheckInEnvironment, _ context: Context, in reader: ReadTransaction
  ) throws -> Contact? {
    if let token = context.parameters["token"] {
      guard let id = services.links.contact(token) else { throw Problem.notFound }
      return try services.contacts.find(id, in: reader)
    }
    let viewer = try context.signedIn()
    guard
      let contact = try services.contacts.find(context.id(), account: viewer.id, in: reader)
    else { throw Problem.notFound }
    return contact
  }

  /// A contact who was not notified learns of no alert here either.
  private static func alerts(
    for contact: Contact, _ services: CheckInEnvironment, in reader: ReadTransaction
  ) throws -> [Alert] {
    try services.alerts.open(of: contact.person, in: reader).filter {
      try services.alerts.notifiedContacts(of: $0.id, in: reader).contains(contact.id)
        || $0.reachedBy == contact.id
    }
  }
}

extension Contact {
  /// The name as other contacts may see it. An address is never shown to others, not even if it was
  /// entered as the name.
  var nameForOthers: String { Self.isAddress(name) ? "" : name }
}
