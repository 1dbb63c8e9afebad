import Accounts
import Core
import Database
import Foundation
import Mail

/// Notifies contacts that a user is silent, that a contact has reached the user, and that the alert
/// is over.
///
/// Which contacts are notified when is decided by `EscalationService`.
struct AlertService {
  /// The user has contacts, but no contact's address can be decrypted with the current keys. The
  /// alert stays due and is retried in each scan.
  struct UndecryptableContactsError: Error, CustomStringConvertible {
    let description = "no contact's address can be decrypted with the current keys"
  }

  let services: CheckInEnvironment

  /// Claims the alert of this silence and queues its mails in one transaction. Throws
  /// `UndecryptableContactsError`.
  func open(
    _ card: UserSummary, _ monitor: CheckInMonitor, now: Instant, in writer: WriteTransaction
  ) throws {
    guard let silence = monitor.countedFrom else { return }
    let contacts = try services.contacts.all(of: card.id, in: writer)
    if contacts.contains(where: \.isSealed) {
      services.site.logger.error("a contact is not alerted: the address cannot be decrypted")
    }
    guard contacts.contains(where: \.counts) else { throw UndecryptableContactsError() }
    let alert = try services.alerts.claim(
      of: card.id, silence: silence, day: monitor.today(now), missedDays: monitor.missedDays(now),
      now: now, in: writer)
    guard let alert else { return }
    try services.record.add(
      .due, day: silence, detail: monitor.silenceLength(now), of: card.id, now: now, in: writer)
    try EscalationService(services: services).advance(
      alert, card, monitor, now: now, in: writer)
  }

  /// Claims the alert of a timer that has run out and notifies the first contacts. Returns false if
  /// no contact can be reached.
  func open(
    _ timer: CheckInTimer, _ card: UserSummary, _ monitor: CheckInMonitor, now: Instant,
    in writer: WriteTransaction
  ) throws -> Bool {
    guard try services.contacts.all(of: card.id, in: writer).contains(where: \.counts) else {
      return false
    }
    let alert = try services.alerts.claim(timer, day: monitor.today(now), now: now, in: writer)
    guard let alert else { return true }
    try services.record.add(
      timer.isHelp ? .helpCalled : .timerDue, of: card.id, now: now, in: writer)
    try EscalationService(services: services).advance(
      alert, card, monitor, now: now, in: writer)
    return true
  }

  /// Records that a contact has reached the user and notifies the other contacts. Returns false if
  /// another contact reported it before or no alert is open.
  func reached(
    by contact: Contact, now: Instant, in writer: WriteTransaction
  ) throws -> Bool {
    guard let card = try services.people.card(contact.person, in: writer),
      let monitor = try services.monitor(over: card, now: now, in: writer)
    else { return false }
    let settings = try settings(of: card, in: writer)
    var isFirst = false
    for alert in try services.alerts.open(of: card.id, in: writer) {
      let notified = try services.alerts.notifiedContacts(of: alert.id, in: writer)
      guard notified.contains(contact.id),
        try services.alerts.reached(alert.id, by: contact.id, now: now, in: writer)
      else { continue }
      isFirst = true
      try services.record.add(
        .reached, contact: contact.id, of: card.id, now: now, in: writer)
      for id in notified where id != contact.id {
        guard let other = try services.contacts.find(id, in: writer), other.counts else {
          continue
        }
        for channel in try services.channels.notified(of: alert.id, id, in: writer) {
          try services.channels.queue(.reached, by: channel, alert: alert.id, now: now, in: writer)
        }
        guard other.receivesMail else { continue }
        var model = services.model(card, monitor, to: other, now: now)
        model.reachedBy = contact.name
        try send(
          services.mailer.reached(model, in: settings.contactLanguage), .reached, to: other,
          alert: alert.id, now: now, in: writer)
      }
    }
    return isFirst
  }

  /// Records that a contact is looking for the user, which stops the escalation for a while. Returns
  /// false if no alert is open that the contact was notified of, or the user has been reached.
  func looking(by contact: Contact, now: Instant, in writer: WriteTransaction) throws -> Bool {
    var isOpen = false
    for alert in try services.alerts.open(of: contact.person, in: writer)
    where alert.reachedAt == nil {
      guard
        try services.alerts.notifiedContacts(of: alert.id, in: writer).contains(contact.id)
      else { continue }
      isOpen = true
      if try services.escalation.looking(alert, by: contact.id, now: now, in: writer) {
        try services.record.add(
          .looking, contact: contact.id, of: contact.person, now: now, in: writer)
      }
    }
    if isOpen {
      try EscalationService(services: services).advance(contact.person, now: now, in: writer)
    }
    return isOpen
  }

  /// Delays in s before a lost alert mail is sent again, by the number of losses. A server that
  /// refuses mail does so at once and must not be retried in a tight loop.
  private static let pauses: [Int64] = [.minutes(30), .hours(2), .hours(6), .hours(12), .days(1)]

  /// Sends an alert again to a contact whose mail was lost.
  func resend(
    _ id: ID<Contact>, of alert: ID<Alert>?, about person: ID<Person>, now: Instant,
    in writer: WriteTransaction
  ) throws {
    guard let card = try services.people.card(person, in: writer),
      let monitor = try services.monitor(over: card, now: now, in: writer),
      let open = try services.alerts.open(of: person, in: writer)
        .first(where: { $0.id == alert && $0.reachedAt == nil }),
      let contact = try services.contacts.find(id, in: writer), contact.receivesMail,
      try !services.contacts.isRemoved(id, in: writer)
    else { return }
    let times = try services.alerts.lostCount(of: open.id, to: id, in: writer)
    try mail(
      contact, of: open, card, monitor,
      after: Self.pauses[min(max(times, 1), Self.pauses.count) - 1],
      now: now, in: writer)
  }

  /// Queues the message of an alert to a contact.
  func notify(
    _ contact: Contact, by means: Escalation.Means, of alert: Alert, _ card: UserSummary,
    _ monitor: CheckInMonitor, now: Instant, in writer: WriteTransaction
  ) throws {
    switch means {
    case .mail:
      try mail(contact, of: alert, card, monitor, now: now, in: writer)
    case .channel(let id):
      guard let channel = try services.channels.find(id, in: writer), !channel.isRemoved else {
        return
      }
      try services.channels.queue(
        .alert, by: channel, alert: alert.id, round: alert.round, now: now, in: writer)
    }
  }

  /// Queues the mail of an alert to a contact, with a delay in s.
  private func mail(
    _ contact: Contact, of alert: Alert, _ card: UserSummary, _ monitor: CheckInMonitor,
    after delay: Int64 = 0, now: Instant, in writer: WriteTransaction
  ) throws {
    let settings = try settings(of: card, in: writer)
    var model = services.model(card, monitor, to: contact, now: now)
    model.isRepeated = alert.isRepeated
    model.note = contact.isAsked ? "" : settings.note
    model.hasSheet = !contact.isAsked && !settings.sheet.isEmpty
    if alert.timer != nil, let timer = try services.timers.find(of: card.id, in: writer) {
      model.timerEnd = timer.endsAt
      model.isHelp = timer.isHelp
      let notes = [timer.note, model.note].filter { !$0.isEmpty }
      model.note = contact.isAsked ? "" : notes.joined(separator: "\n")
      model.place = contact.isAsked ? nil : try services.place(of: timer, now: now, in: writer)
    }
    let content = services.mailer.alert(model, in: settings.contactLanguage)
    let mail = try services.queue.add(
      content, to: contact.email, retriesForever: true, after: delay, now: now, in: writer)
    try services.alerts.note(
      mail, .alert, to: contact.id, of: card.id, alert: alert.id, round: alert.round, now: now,
      in: writer)
    guard let partner = contact.account else { return }
    notice(in: writer) {
      try services.observer.alerted(
        partner, about: card.id, path: CheckInLinks.asContact(contact.id), now: now, in: writer)
    }
  }

  // MARK: Parts

  /// Writes or removes a notice. Its failure holds back neither an alert nor an all-clear.
  func notice(in writer: WriteTransaction, _ change: () throws -> Void) {
    do {
      try writer.savepoint(change)
    } catch {
      services.site.logger.error("a notice to a partner failed: \(error)")
    }
  }

  func send(
    _ content: MailContent, _ kind: ContactMailKind, to contact: Contact, alert: ID<Alert>,
    now: Instant, in writer: WriteTransaction
  ) throws {
    let mail = try services.queue.add(content, to: contact.email, now: now, in: writer)
    try services.alerts.note(
      mail, kind, to: contact.id, of: contact.person, alert: alert, now: now, in: writer)
  }

  func settings(of card: UserSummary, in reader: ReadTransaction) throws -> CheckInSettings {
    try services.monitors.settings(of: card.id, in: reader)
      ?? CheckInSettings(contactLanguage: services.language(of: card))
  }
}
