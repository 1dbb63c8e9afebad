import Core
import Database
import Mail

/// Hears what became of the mails of this module: keeps it for the person to see, marks contacts
/// whose mail doesn't arrive, and logs each attempt at an alert.
struct CheckInDeliveryObserver: DeliveryObserver {
  let services: CheckInEnvironment

  func attempted(
    _ mail: ID<QueuedMail>, _ result: MailResult, now: Instant, in writer: WriteTransaction
  ) throws {
    guard let noted = try services.alerts.find(mail, in: writer.reader) else { return }
    let (state, error) = Self.reading(result)
    try services.alerts.attempted(mail, state, error: error, now: now, in: writer)
    try services.alerts.log(
      mail, noted, isSent: state == .sent, error: error, now: now, in: writer)
    guard let contact = noted.contact else { return }
    switch state {
    case .sent where noted.kind == .introduction:
      try services.contacts.wasIntroduced(contact, in: writer)
    case .refused, .bounced:
      try services.contacts.bounces(contact, in: writer)
      try AlertService(services: services).notifyNewContacts(noted.person, now: now, in: writer)
      try MonitorService(services: services).reschedule(noted.person, now: now, in: writer)
    case .givenUp where noted.kind == .alert:
      // An alert is never given up, whoever lost it on its way.
      try AlertService(services: services).resend(
        contact, of: noted.alert, about: noted.person, now: now, in: writer)
    default: break
    }
  }

  /// An alert to one contact of several that waited when a backup was made waits for its grace, as
  /// those do that are yet to be raised: whoever taps meanwhile calls it back.
  func holds(_ mail: ID<QueuedMail>, now: Instant, in reader: ReadTransaction) throws -> Instant? {
    guard let until = try services.outages.restoredUntil(now: now, in: reader),
      try services.alerts.find(mail, in: reader)?.kind == .alert
    else { return nil }
    // Nobody knows yet when a grace ends that has not begun, and clocks are put right. Never at
    // once: until the handlers' next beat it is not over.
    let soonest = now.adding(seconds: .minutes(1))
    return max(soonest, min(until, now.adding(seconds: CheckInScan.every)))
  }

  private static func reading(_ result: MailResult) -> (ContactMailState, String?) {
    switch result {
    case .sent: (.sent, nil)
    case .postponed(let failure, _): (.waiting, "\(failure)")
    case .refused(let failure): (.refused, "\(failure)")
    case .givenUp(let failure): (.givenUp, "\(failure)")
    case .bounced(let reason): (.bounced, reason)
    case .lost(let reason): (.givenUp, reason)
    }
  }
}
