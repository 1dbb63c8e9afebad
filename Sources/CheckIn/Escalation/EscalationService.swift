import Accounts
import Core
import Database

/// Notifies the contacts of open alerts, by one means after the other, and again while none of them
/// responds.
struct EscalationService {
  let services: CheckInEnvironment

  /// Takes the due steps of a user's open alerts, and schedules the next ones.
  func advance(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    for alert in try services.alerts.open(of: person, in: writer) {
      guard alert.reachedAt == nil,
        let card = try services.people.card(person, in: writer),
        let monitor = try services.monitor(over: card, now: now, in: writer)
      else {
        // The contacts of a deleted account are told nothing more.
        try services.escalation.scheduleNext(at: nil, of: alert.id, in: writer)
        continue
      }
      try advance(alert, card, monitor, now: now, in: writer)
    }
  }

  /// The same for one alert.
  func advance(
    _ alert: Alert, _ card: UserSummary, _ monitor: CheckInMonitor, now: Instant,
    in writer: WriteTransaction
  ) throws {
    let contacts = try services.contacts.all(of: alert.person, in: writer).filter(\.counts)
    let all = try recipients(contacts, of: alert, in: writer)
    var escalation = try state(of: alert, all, now: now, in: writer)
    let plan = escalation.plan(at: now)
    if plan.beginsRound {
      let next = try services.escalation.beginRound(of: alert, now: now, in: writer)
      try services.record.add(
        .repeated, detail: String(escalation.round + 1), of: card.id, now: now, in: writer)
      return try advance(next, card, monitor, now: now, in: writer)
    }
    for step in plan.steps {
      guard let contact = contacts.first(where: { $0.id == step.contact }) else { continue }
      try AlertService(services: services).notify(
        contact, by: step.means, of: alert, card, monitor, now: now, in: writer)
      escalation.notices.append(
        Escalation.Notice(contact: step.contact, means: step.means, at: now))
    }
    // After these steps none is due.
    try services.escalation.scheduleNext(
      at: escalation.plan(at: now).next, of: alert.id, in: writer)
  }

  /// The contacts with what reaches them: mail first, then proven channels in their order.
  private func recipients(
    _ contacts: [Contact], of alert: Alert, in reader: ReadTransaction
  ) throws -> [Escalation.Recipient] {
    let channels = try services.channels.all(of: alert.person, in: reader)
    return contacts.compactMap { contact in
      var means: [Escalation.Means] = contact.receivesMail ? [.mail] : []
      means += channels.filter {
        $0.contact == contact.id && $0.provenAt != nil
          && services.channelOffers.find($0.offer) != nil
      }.map { .channel($0.id) }
      return means.isEmpty ? nil : Escalation.Recipient(contact: contact.id, means: means)
    }
  }

  /// A contact who is added while others know of the alert is notified from the next round on.
  private func state(
    of alert: Alert, _ recipients: [Escalation.Recipient], now: Instant,
    in reader: ReadTransaction
  ) throws -> Escalation {
    let settings = try services.monitors.settings(of: alert.person, in: reader)
    let notices = try services.escalation.notices(of: alert, in: reader)
    let late =
      notices.isEmpty
      ? [] : try services.escalation.added(after: alert.roundAt, by: alert.person, in: reader)
    // A call for help goes to all contacts at once.
    let isCall =
      try alert.timer != nil && services.timers.find(of: alert.person, in: reader)?.isHelp == true
    return Escalation(
      pause: isCall ? 0 : Int64(settings?.contactPause ?? 0) * 60,
      round: alert.round - alert.firstRound + 1,
      roundAt: alert.roundAt,
      lookingUntil: alert.lookingUntil,
      recipients: recipients.filter { !late.contains($0.contact) }, notices: notices,
      responded: try services.escalation.responded(to: alert, now: now, in: reader))
  }
}
