import Core
import Database
import Jobs
import Mail

/// What a restored backup means for the watch (docs/developer/check-in.md#outages): taps made since
/// are unknown here, so alerts wait for a day, and people are reminded first.
///
/// The day begins with the first beat of the handlers, not with the restore: while nobody answers
/// requests, nobody can tap. Alerts that waited in the queue are held for it too
/// (`CheckInDeliveryObserver.holds`); those that have reached nobody are decided about anew when it ends.
enum CheckInRestore {
  /// Mails that waited and are dropped for their age were given up. Whoever was to be introduced by
  /// one is so anew: else they would wait for it for ever, and hear of the person for the first time
  /// by an alert.
  @Sendable static func dropped(
    _ mails: [ID<QueuedMail>], _ backup: RestoredBackup, _ writer: WriteTransaction
  ) throws {
    for mail in mails {
      guard let contact = try AlertStore.wasDropped(mail, now: backup.now, in: writer) else {
        continue
      }
      try ContactService.introduce(contact, now: backup.now, in: writer)
    }
  }

  static func step(mostGrace: Int64?) -> RestoreStep {
    RestoreStep("check-in") { writer, backup in
      // Else the first beat would note all the time since the backup as an outage.
      try JobStore.forgetBeat(OutageStore.heartbeat, in: writer)
      try OutageStore.forgetClocks(in: writer)
      let grace = min(Outage.mostOfClock, mostGrace ?? Outage.mostOfClock)
      guard grace > 0 else { return nil }
      try OutageStore.add(
        Outage(
          began: backup.madeAt, ended: backup.now, graceUntil: .distantFuture, cause: .restore),
        mostGrace: mostGrace, in: writer)
      let (mails, people) = try AlertStore().reopenUntold(now: backup.now, in: writer)
      try MailQueue.cancel(mails, in: writer)
      try MonitorStore.restart(people, now: backup.now, in: writer)
      return "alerts about missed check-ins wait for \(grace / 3600) h from the next start on"
    }
  }
}
