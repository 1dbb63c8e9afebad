import Accounts
import Core
import Database
import Mail

/// Ends alerts: the contacts who were notified get the all-clear.
extension AlertService {
  /// After the user has ended a timer: notifies the alerted contacts.
  func end(
    timer: ID<CheckInTimer>, _ card: UserSummary, _ monitor: CheckInMonitor, now: Instant,
    in writer: WriteTransaction
  ) throws {
    let open = try services.alerts.open(of: card.id, in: writer).filter { $0.timer == timer }
    try end(open, card, monitor, now: now, in: writer)
  }

  /// After a check-in: notifies the alerted contacts that all is well once the silence is below the
  /// threshold again. Alerts of timers, calls for help among them, end only if they were raised
  /// before the user's tap, which may come late from a phone without a network. `tappedAt` is nil for
  /// a sign of life, which may be made by a machine. Returns the number of contacts who get the
  /// all-clear; nil if no alert ended.
  @discardableResult
  func end(
    _ card: UserSummary, _ monitor: CheckInMonitor, tappedAt: Instant?, now: Instant,
    in writer: WriteTransaction
  ) throws -> Int? {
    guard monitor.isBelowThreshold(now) else { return nil }
    let open = try services.alerts.open(of: card.id, in: writer).filter { alert in
      alert.timer == nil || tappedAt.map { alert.claimedAt <= $0 } ?? false
    }
    guard !open.isEmpty else { return nil }
    if let timer = try services.timers.find(of: card.id, in: writer),
      open.contains(where: { $0.timer == timer.id })
    {
      try TimerService(services: services).remove(of: card.id, in: writer)
      try services.record.add(.timerEnded, of: card.id, now: now, in: writer)
    }
    return try end(open, card, monitor, now: now, in: writer)
  }

  @discardableResult
  private func end(
    _ open: [Alert], _ card: UserSummary, _ monitor: CheckInMonitor, now: Instant,
    in writer: WriteTransaction
  ) throws -> Int {
    var cleared: Set<ID<Contact>> = []
    var recipients: Set<[String]> = []
    for alert in open {
      let notified = try services.alerts.notifiedContacts(of: alert.id, in: writer)
      // A mail that is still queued would arrive after the all-clear.
      try recall(of: alert.id, in: writer)
      for id in notified {
        guard let contact = try services.contacts.find(id, in: writer),
          contact.state != .refused
        else { continue }
        // Of two alerts, each may have gone by other channels. One that was removed and added again
        // is used once.
        for channel in try services.channels.forAllClear(of: alert.id, to: contact, in: writer)
        where recipients.insert([id.description, channel.offer, channel.recipient]).inserted {
          try services.channels.queue(.allClear, by: channel, now: now, in: writer)
        }
        guard cleared.insert(id).inserted else { continue }
        try mailAllClear(to: contact, of: alert, card, monitor, now: now, in: writer)
      }
      try services.alerts.end(alert.id, now: now, in: writer)
      try services.record.add(.ended, of: card.id, now: now, in: writer)
    }
    if try services.alerts.open(of: card.id, in: writer).isEmpty {
      notice(in: writer) { try services.observer.alertsEnded(card.id, in: writer) }
    }
    return cleared.count
  }

  /// Queues the all-clear to a contact who got an alert after it had ended: by the same means, or
  /// by all others if that channel is no longer known. They get no second mail if others are left.
  func clear(
    _ id: ID<Contact>, reachedBy channel: ID<ContactChannel>?, of alert: Alert,
    _ card: UserSummary, _ monitor: CheckInMonitor, now: Instant, in writer: WriteTransaction
  ) throws {
    guard let contact = try services.contacts.find(id, in: writer), contact.state != .refused else {
      return
    }
    if let channel {
      if let known = try services.channels.find(channel, in: writer) {
        return try services.channels.queue(.allClear, by: known, now: now, in: writer)
      }
      let others = try services.channels.proven(of: contact, in: writer)
      for other in others {
        try services.channels.queue(.allClear, by: other, now: now, in: writer)
      }
      if !others.isEmpty,
        try services.alerts.hasMailedAllClear(to: id, since: alert.claimedAt, in: writer)
      {
        return
      }
    }
    try mailAllClear(to: contact, of: alert, card, monitor, now: now, in: writer)
  }

  /// Queues the mail with the all-clear to a contact who was notified of an alert.
  private func mailAllClear(
    to contact: Contact, of alert: Alert, _ card: UserSummary, _ monitor: CheckInMonitor,
    now: Instant, in writer: WriteTransaction
  ) throws {
    let settings = try settings(of: card, in: writer)
    var model = services.model(card, monitor, to: contact, now: now)
    model.isTimer = alert.timer != nil
    try send(
      services.mailer.allClear(model, in: settings.contactLanguage), .allClear, to: contact,
      alert: alert.id, now: now, in: writer)
  }

  private func recall(of alert: ID<Alert>, in writer: WriteTransaction) throws {
    try services.queue.cancel(
      try services.alerts.recall(of: alert, in: writer), in: writer)
  }
}
