import Accounts
import Core
import Database
import Mail

/// Takes over what a watchman has sent, so that no contact is told twice
/// (docs/developer/watchman.md#settling).
extension WatchmanService {
  /// Records an alert that the watchman has sent or is about to send. Returns the messages that are
  /// not to be sent.
  func take(
    _ report: WatchmanReport, now: Instant, in writer: WriteTransaction
  ) throws -> [String] {
    guard let person = ID<Person>(report.person), let reference = AlertReference(report.reference),
      let card = try services.people.card(person, in: writer),
      let monitor = try services.monitor(over: card, now: now, in: writer),
      let alert = try alert(reference, card, monitor, report, now: now, in: writer)
    else { return report.messages.map(\.id) }
    var recalled: [String] = []
    for message in report.messages {
      let isWanted = try take(
        message, of: alert, at: Instant(milliseconds: report.at), card, monitor, now: now,
        in: writer)
      if !isWanted { recalled.append(message.id) }
    }
    try end(reference, card, monitor, now: now, in: writer)
    return recalled
  }

  /// The alert that a report is about, claimed if it has not been raised yet; nil if it ended before
  /// the watchman began to send it.
  private func alert(
    _ reference: AlertReference, _ card: UserSummary, _ monitor: CheckInMonitor,
    _ report: WatchmanReport, now: Instant, in writer: WriteTransaction
  ) throws -> Alert? {
    let known = try services.alerts.all(of: card.id, in: writer).first { alert in
      switch reference {
      case .silence(let day): alert.timer == nil && alert.silence == day
      case .timer(let id): alert.timer == id
      }
    }
    let isOpen = try services.alerts.open(of: card.id, in: writer).contains { $0.id == known?.id }
    if let known, isOpen { return known }
    let isSent = report.messages.contains { $0.state == ContactMailState.sent.rawValue }
    let isKnown = try report.messages.contains {
      try ID<QueuedMail>($0.id).map { try services.watchman.reported($0, in: writer) != nil }
        ?? false
    }
    if let known, isKnown { return known }
    switch reference {
    case .silence(let day):
      // The user has checked in, and no contact has been told.
      guard isSent || monitor.countedFrom == day else { return nil }
      let claimed = try services.alerts.claim(
        of: card.id, silence: day, day: monitor.today(now), missedDays: monitor.missedDays(now),
        now: now, in: writer)
      if claimed != nil {
        try services.record.add(
          .due, day: day, detail: monitor.silenceLength(now), of: card.id, now: now, in: writer)
      }
      return claimed
    case .timer(let id):
      let timer = try services.timers.find(of: card.id, in: writer).flatMap {
        $0.id == id ? $0 : nil
      }
      guard isSent || timer != nil else { return nil }
      let moment = Instant(milliseconds: report.at)
      let claimed = try services.alerts.claim(
        timer
          ?? CheckInTimer(
            id: id, person: card.id, note: "", startedAt: moment, endsAt: moment, grace: 0),
        day: monitor.today(now), now: now, in: writer)
      if claimed != nil {
        try services.record.add(.timerDue, of: card.id, now: now, in: writer)
        if timer != nil { try services.timers.took(.alert, of: card.id, now: now, in: writer) }
      }
      return claimed
    }
  }

  /// Records a message. Returns false if it is not to be sent.
  private func take(
    _ message: WatchmanReport.Message, of alert: Alert, at moment: Instant, _ card: UserSummary,
    _ monitor: CheckInMonitor, now: Instant, in writer: WriteTransaction
  ) throws -> Bool {
    guard let id = ID<QueuedMail>(message.id), let contact = ID<Contact>(message.contact),
      let state = ContactMailState(rawValue: message.state),
      let person = try services.contacts.find(contact, in: writer)?.person, person == alert.person
    else { return false }
    let channel = message.channel.flatMap { ID<ContactChannel>($0) }
    let isGone = try channel.map { try services.channels.isRemoved($0, in: writer) } ?? false
    // Another contact has reached the user meanwhile, or the user has removed the contact or the
    // channel.
    if state == .waiting,
      try alert.reachedAt != nil || isGone || services.contacts.isRemoved(contact, in: writer)
    {
      try services.watchman.change(id, to: .recalled, now: now, in: writer)
      return false
    }
    if let before = try services.watchman.reported(id, in: writer) {
      if before == .recalled, state == .waiting { return false }
      guard before != state else { return true }
      try services.watchman.change(id, to: state, now: now, in: writer)
      if state == .sent {
        try sent(contact, by: channel, of: alert, now: now, in: writer)
        if before == .recalled, try !isOpen(alert, in: writer) {
          // The user checked in while the alert was being sent.
          try AlertService(services: services).clear(
            contact, reachedBy: channel, of: alert, card, monitor, now: now, in: writer)
        }
      }
      if state == .givenUp || state == .refused {
        try EscalationService(services: services).advance(alert.person, now: now, in: writer)
      }
      return true
    }
    // The server was quicker. What both have sent is recorded.
    if state == .waiting,
      try services.watchman.isNotified(contact, by: channel, of: alert.id, in: writer)
    {
      return false
    }
    try services.watchman.add(
      id, to: contact, by: channel, of: alert, state, at: moment, in: writer)
    if isGone, let channel { try services.channels.nameMessages(of: channel, in: writer) }
    if state == .sent { try sent(contact, by: channel, of: alert, now: now, in: writer) }
    return true
  }

  /// Whether the contacts are still to be told of the alert.
  private func isOpen(_ alert: Alert, in reader: ReadTransaction) throws -> Bool {
    try services.alerts.open(of: alert.person, in: reader)
      .contains { $0.id == alert.id && $0.reachedAt == nil }
  }

  private func sent(
    _ contact: ID<Contact>, by channel: ID<ContactChannel>?, of alert: Alert, now: Instant,
    in writer: WriteTransaction
  ) throws {
    let offer = try channel.flatMap { try services.channels.offer(of: $0, in: writer) }
    try services.record.add(
      .sent, contact: contact,
      detail: [ContactMailKind.alert.rawValue, Self.name, offer].compactMap(\.self)
        .joined(separator: " "),
      of: alert.person, now: now, in: writer)
    // What waits here for the same contact says the same.
    try services.queue.cancel(
      try services.watchman.recallOwn(to: contact, by: channel, of: alert.id, in: writer),
      in: writer)
  }

  /// Ends an alert that the watchman sent although the user has checked in or is back: contacts who
  /// were told get the all-clear. Otherwise the escalation goes on here.
  private func end(
    _ reference: AlertReference, _ card: UserSummary, _ monitor: CheckInMonitor, now: Instant,
    in writer: WriteTransaction
  ) throws {
    let service = AlertService(services: services)
    switch reference {
    case .silence:
      if try service.end(card, monitor, tappedAt: nil, now: now, in: writer) != nil { return }
    case .timer(let id):
      if try services.timers.find(of: card.id, in: writer)?.id != id {
        return try service.end(timer: id, card, monitor, now: now, in: writer)
      }
    }
    try EscalationService(services: services).advance(card.id, now: now, in: writer)
    try MonitorService(services: services).reschedule(card.id, now: now, in: writer)
  }
}
