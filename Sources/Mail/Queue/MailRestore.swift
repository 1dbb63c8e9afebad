import Core
import Database

/// What a restored backup means for mail that waited when it was made. It may have gone out since:
/// rather twice than never, and the second one has the same Message-ID. Only what is too old to be
/// tried any more is dropped, unless it is never given up.
public enum MailRestore {
  /// What a room does that noted mails of its own, like a `DeliveryObserver` while nobody has the
  /// application open: told which ones are dropped, not all of which are its business, in the same
  /// transaction.
  public typealias Dropped =
    @Sendable ([ID<QueuedMail>], RestoredBackup, WriteTransaction) throws -> Void

  /// The step of this module, which tells the modules what it drops.
  public static func step(telling modules: [Dropped]) -> RestoreStep {
    RestoreStep("mail") { writer, backup in
      let dropped = try MailStore.dropUnsent(
        before: backup.now.adding(seconds: -RetryPlan.timeout), in: writer)
      // Whoever worked on a job then works on it no more.
      try writer.execute(
        "UPDATE jobs SET lease = NULL, run_at = ? WHERE lease IS NOT NULL", backup.now)
      // How we stood with the mail server then says nothing of today.
      try MailServerHealth.noteTaken(in: writer)
      for module in modules { try module(dropped, backup, writer) }
      let waiting = try MailStore.waiting(in: writer.reader).count
      let lines = [
        waiting > 0 ? "\(waiting) mails that waited go out, perhaps for the second time" : nil,
        dropped.isEmpty ? nil : "\(dropped.count) mails that waited too long are dropped",
      ].compactMap { $0 }
      return lines.isEmpty ? nil : lines.joined(separator: "; ")
    }
  }
}
