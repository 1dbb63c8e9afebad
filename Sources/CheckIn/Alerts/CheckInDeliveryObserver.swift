import Core
import Database
import Mail

/// Handles delivery results of this module's mails: stores them for the user to see, marks contacts
/// whose mail bounces, and logs each attempt to deliver an alert.
struct CheckInDeliveryObserver: DeliveryObserver {
  let services: CheckInEnvironment

  func attempted(
    _ mail: ID<QueuedMail>, _ result: MailResult, now: Instant, in writer: WriteTransaction
  ) throws {
    guard let noted = try services.alerts.find(mail, in: writer) else { return }
    let (state, error) = Self.reading(result)
    try services.alerts.attempted(mail, state, error: error, now: now, in: writer)
    try services.alerts.log(
      mail, noted, isSent: state == .sent, error: error, now: now, in: writer)
    guard let contact = noted.contact else { return }
    if let event = state.event {
      try services.record.add(
        event, contact: contact, detail: noted.kind.rawValue, of: noted.person, now: now,
        in: writer)
    }
    switch state {
    case .sent where noted.kind == .introduction:
      try services.contacts.wasIntroduced(contact, in: writer)
    case .refused, .bounced:
      try services.contacts.bounces(contact, in: writer)
      try EscalationService(services: services).advance(noted.person, now: now, in: writer)
      try MonitorService(services: services).reschedule(noted.person, now: now, in: writer)
    case .givenUp where noted.kind == .alert:
      // An alert is never given up, wherever it was lost.
      try AlertService(services: services).resend(
        contact, of: noted.alert, about: noted.person, now: now, in: writer)
    default: break
    }
  }

  /// After a restore, an alert that was queued when the backup was made waits for the restore's
  /// grace period, as alerts do that are yet to be raised. A tap during that time recalls it. It also
  /// waits while a watchman may have sent it.
  func heldUntil(_ mail: ID<QueuedMail>, now: Instant, in reader: ReadTransaction) throws
    -> Instant?
  {
    let restored = try services.outages.restoredUntil(now: now, in: reader)
    let isSettled = try WatchmanService(services: services).isSettled(now: now, in: reader)
    guard restored != nil || !isSettled,
      try services.alerts.find(mail, in: reader)?.kind == .alert
    else { return nil }
    // The end of a grace period that has not begun is unknown, and clocks are corrected. Never
    // immediate: the grace period is not over until the handlers' next beat.
    let soonest = now.adding(seconds: .minutes(1))
    guard let restored else { return soonest }
    return max(soonest, min(restored, now.adding(seconds: CheckInScan.retry)))
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

extension ContactMailState {
  /// The line in the record for a mail to a contact that has arrived at this state.
  fileprivate var event: RecordEvent? {
    switch self {
    case .sent: .sent
    case .refused, .bounced, .givenUp: .failed
    case .waiting, .recalled: nil
    }
  }
}
