import Accounts
import Core
import Database
import Foundation
import Mail
import Templates
import Web

/// A contact who came by the link in their mail, and what they may know of their person. Nobody's
/// address is in it to be shown, not even their own.
struct ContactLinkSession {
  let contact: Contact
  let card: UserSummary
  let monitor: CheckInMonitor
  /// By which the person's days and hours are meant.
  let zone: PersonTimeZone
  /// Taken off the list, and kept for an alert that they know of.
  let isRemoved: Bool
  /// The alert that went to them and that no check-in has ended yet.
  let alert: Alert?
  /// The name of who has reached the person; "" when it is not known, or is an address.
  let reachedBy: String

  /// Nil for who is no contact any more. Throws 404 for a link that we never made.
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
    if let settings = try services.monitors.settings(of: card.id, in: reader) {
      context.fallBack(to: settings.contactLanguage)
    }
  }

  /// Whose link it is; nil for who is no contact any more. Throws 404 for a link that we never made.
  static func contact(
    _ services: CheckInEnvironment, _ context: Context, in reader: ReadTransaction
  ) throws -> Contact? {
    guard let id = services.links.contact(context.parameters["token"] ?? "") else {
      throw Problem.notFound
    }
    return try services.contacts.find(id, in: reader)
  }

  /// Who was told of nothing hears of nothing here either.
  private static func alert(
    for contact: Contact, _ services: CheckInEnvironment, in reader: ReadTransaction
  ) throws -> Alert? {
    try services.alerts.open(of: contact.person, in: reader).last {
      try services.alerts.told(of: $0.id, in: reader).contains(contact.id)
        || $0.reachedBy == contact.id
    }
  }
}

extension Contact {
  /// The name as other contacts may see it: nobody's address goes to anybody else, not even as the
  /// name that they were given.
  var nameForOthers: String { (try? MailAddress(name)) == nil ? name : "" }
}

/// A page that is only a page.
struct LinkExpiredView: View {
  let page: PageView

  static let fields: [String: Field<LinkExpiredView>] = ["page": .child { $0.page }]
}
