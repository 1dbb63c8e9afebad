import Accounts
import Core
import Database
import Web

/// Removes contacts and restores them (docs/developer/check-in-contacts.md#removed-contacts).
extension ContactService {
  /// Removes a contact, which the user can restore for 30 days.
  func remove(_ contact: Contact, now: Instant, in writer: WriteTransaction) throws {
    try takeOut(contact, now: now, in: writer)
    try somethingChanged(contact.person, now: now, in: writer)
  }

  /// Restores a contact that the user has removed, after the others. What the contact has said, to
  /// receive no mail for example, still holds. Throws `Rejection`, and 404 if there is none.
  func restore(
    _ id: ID<Contact>, of card: UserSummary, partner: ID<Person>?, now: Instant,
    in writer: WriteTransaction
  ) throws {
    let removed = try services.contacts.removed(
      id, of: card.id, since: DeletionPeriod.start(now: now), in: writer)
    guard let contact = removed else { throw Problem.notFound }
    guard contact.email != card.address else { throw Rejection.own }
    let others = try services.contacts.all(of: card.id, in: writer)
    guard !others.contains(where: { $0.email == contact.email }) else { throw Rejection.already }
    guard others.count < Contact.maximumCount else { throw Rejection.tooMany }
    try services.contacts.restore(id, of: card.id, now: now, in: writer)
    if let account = contact.account {
      // The two may have separated meanwhile: the user is asked whether the note is shared.
      try services.contacts.setAccount(
        account, confirmationRequestedAt: account == partner ? nil : now, of: id, in: writer)
      if contact.state != .refused {
        try services.observer.chosen(
          account, by: card.id, path: CheckInLinks.asContact(id), now: now, in: writer)
      }
    }
    if contact.state == .pending { try Self.introduce(id, now: now, in: writer) }
    if contact.counts { try countFromToday(card, now: now, in: writer) }
    try somethingChanged(card.id, now: now, in: writer)
  }

  /// Erases the contacts that were removed 30 days ago, and removed channels that have served.
  func purge(now: Instant) throws {
    try services.site.database.write { try services.channels.purge(now: now, in: $0) }
    let oldest = DeletionPeriod.start(now: now)
    while true {
      let count = try services.site.database.write {
        try services.contacts.purge(removedBefore: oldest, limit: 100, in: $0)
      }
      if count < 100 { return }
    }
  }

  /// Removes a contact and recalls the mails to them that wait.
  func takeOut(_ contact: Contact, now: Instant, in writer: WriteTransaction) throws {
    try services.contacts.remove(contact.id, now: now, in: writer)
    try services.queue.cancel(
      try services.alerts.recall(contact: contact.id, in: writer), in: writer)
    guard let account = contact.account else { return }
    try services.observer.unchosen(account, by: contact.person, in: writer)
  }
}
