import Accounts
import Core
import Database
import Foundation

/// Moves what a guest had (check-ins, contacts, alerts) to a member. The guest is no longer
/// monitored afterwards, or it would raise alerts while the user taps as a member
/// (docs/developer/accounts.md#guests).
struct CheckInMerge {
  let services: CheckInEnvironment

  func merge(
    guest: ID<Person>, into member: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws {
    guard let settings = try services.monitors.settings(of: guest, in: writer) else {
      return
    }
    let isNew = try services.monitors.settings(of: member, in: writer) == nil
    try services.monitors.begin(member, language: settings.contactLanguage, in: writer)
    // The guest's settings do not replace the member's.
    if isNew { try services.monitors.save(settings, of: member, in: writer) }
    try services.checkIns.copy(from: guest, to: member, in: writer)
    try services.monitors.take(from: guest, to: member, withPause: isNew, in: writer)
    try services.contacts.move(from: guest, to: member, in: writer)
    try services.alerts.move(from: guest, to: member, in: writer)
    try services.timers.move(from: guest, to: member, in: writer)
    try services.record.append(of: guest, to: member, in: writer)
    try services.monitors.scheduleNext(at: nil, guest, in: writer)
    try endAlerts(of: member, now: now, in: writer)
    try MonitorService(services: services).reschedule(member, now: now, in: writer)
  }

  /// Ends an alert about the guest's silence if the member has checked in. If it stayed open it would
  /// pass for an alert about the member's next silence, of which no contact would be notified. A call
  /// for help and an alert of a timer go on: signing in says nothing about them.
  private func endAlerts(of member: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    guard let card = try services.people.card(member, in: writer),
      let monitor = try services.monitor(over: card, now: now, in: writer),
      let last = monitor.lastDay,
      monitor.today(now).days(since: last) - 1 < monitor.threshold
    else { return }
    try AlertService(services: services).end(
      card, monitor, tappedAt: nil, now: now, in: writer)
  }
}
