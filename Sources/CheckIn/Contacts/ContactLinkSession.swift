import Accounts
import Core
import Database
import Foundation
import Mail
import Templates
import Web

/// A contact who opened the link in a mail, and what the contact may know of the user. It contains
/// no address to show, not even the contact's own.
struct ContactLinkSession {
  let contact: Contact
  let card: UserSummary
  let monitor: CheckInMonitor
  /// The time zone of the user's days and hours.
  let zone: PersonTimeZone
  /// The contact was removed and is kept because of an alert that was sent to them.
  let isRemoved: Bool
  /// The open alert that was sent to this contact.
  let alert: Alert?
  /// The name of the contact who has reached the user; "" if unknown or an address.
  let reachedBy: String
  /// The channels of this contact whose code can be entered.
  let unprovenChannels: [ContactChannel]
  /// Whether the user has a sheet that this contact may read now.
  let hasSheet: Bool
  /// The timer that the alert is about.
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
    let alert = try Self.alert(for: contact, services, in: reader)
    let isRemoved = try services.contacts.isRemoved(contact.id, in: reader)
    if isRemoved && alert == nil { return nil }
    self.contact = contact
    self.card = card
    zone = services.personZone(of: card)
    self.alert = alert
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
      alert?.timer == nil ? nil : try services.timers.find(of: contact.person, in: reader)
    let mayKnow = !isRemoved && !contact.isAsked
    place =
      mayKnow
      ? try timer.flatMap { try services.place(of: $0, now: context.now, in: reader) } : nil
    hasSheet = alert != nil && mayKnow && settings?.sheet.isEmpty == false
    if let settings {
      context.fallBack(to: settings.contactLanguage)
    }
  }

  /// The contact whose link it is; nil if they are no longer a contact. Throws 404 for an invalid
  /// link.
  static func contact(
    _ services: CheckInEnvironment, _ context: Context, in reader: ReadTransaction
  ) throws -> Contact? {
    guard let id = services.links.contact(context.parameters["token"] ?? "") else {
      throw Problem.notFound
    }
    return try services.contacts.find(id, in: reader)
  }

  /// A contact who was not notified learns of no alert here either.
  private static func alert(
    for contact: Contact, _ services: CheckInEnvironment, in reader: ReadTransaction
  ) throws -> Alert? {
    try services.alerts.open(of: contact.person, in: reader).last {
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
