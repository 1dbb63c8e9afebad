import Accounts
import Core
import Database
import Foundation

/// Gives a member what they had as a guest: check-ins, contacts, alerts. After it the guest is
/// watched no longer, or it would alert while the person taps elsewhere
/// (docs/developer/accounts.md#guests).
struct CheckInMerge {
  let services: CheckInEnvironment

  func merge(
    guest: ID<Person>, into member: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws {
    guard let settings = try services.monitors.settings(of: guest, in: writer.reader) else {
      return
    }
    let isNew = try services.monitors.settings(of: member, in: writer.reader) == nil
    try services.monitors.begin(member, language: settings.contactLanguage, in: writer)
    // What a guest chose does not replace what the member chose.
    if isNew { try services.monitors.save(settings, of: member, in: writer) }
    try services.checkIns.copy(from: guest, to: member, in: writer)
    try services.monitors.take(from: guest, to: member, withPause: isNew, in: writer)
    try services.contacts.move(from: guest, to: member, in: writer)
    try services.alerts.move(from: guest, to: member, in: writer)
    try services.monitors.scheduleNext(at: nil, guest, in: writer)
    try endAlerts(of: member, now: now, in: writer)
    try MonitorService(services: services).reschedule(member, now: now, in: writer)
  }

  /// An alert about the guest is over when the member has checked in elsewhere. Left open it would
  /// pass for one about the member's next silence, of which nobody would hear.
  private func endAlerts(of member: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    guard let card = try services.people.card(member, in: writer.reader),
      let monitor = try services.monitor(over: card, now: now, in: writer.reader),
      let last = monitor.lastDay,
      monitor.today(now).days(since: last) - 1 < monitor.threshold
    else { return }
    try AlertService(services: services).end(card, monitor, now: now, in: writer)
  }
}
