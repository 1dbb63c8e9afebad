import Core
import Database
import Jobs
import Mail

/// Handles a restored backup (docs/developer/check-in.md#outages): taps made since the backup are
/// unknown, so alerts wait for a day, and users are reminded first.
///
/// The day begins with the first beat of the handlers, not with the restore: while requests are not
/// answered, users cannot tap. Queued alerts are held for it too (`CheckInDeliveryObserver.holds`);
/// alerts that have reached no contact are decided again when it ends.
enum CheckInRestore {
  /// Handles queued mails that are dropped because of their age. A contact whose introduction was
  /// dropped is introduced again; otherwise the contact would wait for ever and first learn of the
  /// user by an alert.
  @Sendable static func dropped(
    _ mails: [ID<QueuedMail>], _ backup: RestoredBackup, _ writer: WriteTransaction
  ) throws {
    for mail in mails {
      guard let contact = try AlertStore.mailDropped(mail, now: backup.now, in: writer) else {
        continue
      }
      try ContactService.introduce(contact, now: backup.now, in: writer)
    }
  }

  static func step(maximumGracePeriod: Int64?) -> RestoreStep {
    RestoreStep("check-in") { writer, backup in
      // Otherwise the first beat would record the time since the backup as an outage.
      try JobStore.forgetBeat(OutageStore.heartbeat, in: writer)
      try OutageStore.forgetClocks(in: writer)
      let grace = min(
        Outage.maximumClockGracePeriod, maximumGracePeriod ?? Outage.maximumClockGracePeriod)
      guard grace > 0 else { return nil }
      try OutageStore.add(
        Outage(
          began: backup.madeAt, ended: backup.now, graceUntil: .distantFuture, cause: .restore),
        maximumGracePeriod: maximumGracePeriod, in: writer)
      let (mails, people) = try AlertStore().reopenUnnotified(now: backup.now, in: writer)
      try MailQueue.cancel(mails, in: writer)
      try MonitorStore.restart(people, now: backup.now, in: writer)
      try TimerStore.restart(now: backup.now, in: writer)
      return "alerts about missed check-ins are on hold for \(grace / 3600) h after the next start"
    }
  }
}
