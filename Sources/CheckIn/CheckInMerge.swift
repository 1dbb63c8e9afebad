import Accounts
import Basics
import Database
import Foundation

/// Gives a member what they had as a guest: check-ins, contacts, alerts. After it the guest is
/// watched no longer, or it would alert while the person taps elsewhere
/// (docs/developer/accounts.md#guests).
struct CheckInMerge {
  let services: CheckInServices

  func merge(
    guest: ID<Person>, into member: ID<Person>, now: Instant, in writer: Writer
  ) throws {
    guard let settings = try services.watches.settings(of: guest, in: writer.reader) else { return }
    let isNew = try services.watches.settings(of: member, in: writer.reader) == nil
    try services.watches.begin(member, language: settings.contactLanguage, in: writer)
    // What a guest chose does not replace what the member chose.
    if isNew { try services.watches.save(settings, of: member, in: writer) }
    try services.checkIns.copy(from: guest, to: member, in: writer)
    try services.watches.take(from: guest, to: member, withPause: isNew, in: writer)
    try services.contacts.move(from: guest, to: member, in: writer)
    try services.alerts.move(from: guest, to: member, in: writer)
    try services.watches.lookAgain(at: nil, guest, in: writer)
    try endAlerts(of: member, now: now, in: writer)
    try WatchKeeper(services: services).reschedule(member, now: now, in: writer)
  }

  /// An alert about the guest is over when the member has checked in elsewhere. Left open it would
  /// pass for one about the member's next silence, of which nobody would hear.
  private func endAlerts(of member: ID<Person>, now: Instant, in writer: Writer) throws {
    guard let card = try services.people.card(member, in: writer.reader),
      let watch = try services.watch(over: card, now: now, in: writer.reader),
      let last = watch.lastDay,
      watch.today(now).days(since: last) - 1 < watch.threshold
    else { return }
    try AlertDesk(services: services).end(card, watch, now: now, in: writer)
  }
}
