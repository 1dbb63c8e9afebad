import Core
import Database

/// The handling of mail that was queued when a restored backup was made. It may have been sent
/// since, but twice is better than never, and the second one has the same Message-ID. Only mail
/// that is too old to be tried is dropped, unless it is never given up.
public enum MailRestore {
  /// The reaction of a module that stored ids of its mails, like a `DeliveryObserver` during a
  /// restore: gets the dropped mails, including those of other modules, in the same transaction.
  public typealias Dropped =
    @Sendable ([ID<QueuedMail>], RestoredBackup, WriteTransaction) throws -> Void

  /// The restore step of this module, which passes the dropped mails to `modules`.
  public static func step(telling modules: [Dropped]) -> RestoreStep {
    RestoreStep("mail") { writer, backup in
      let dropped = try MailStore.dropUnsent(
        before: backup.now.adding(seconds: -RetryPlan.timeout), in: writer)
      // No worker of that time is running any more.
      try writer.execute(
        "UPDATE jobs SET lease = NULL, run_at = \(backup.now) WHERE lease IS NOT NULL")
      // The mail server's recorded state is out of date.
      try MailServerHealth.noteTaken(in: writer)
      for module in modules { try module(dropped, backup, writer) }
      let waiting = try MailStore.waiting(in: writer).count
      let lines = [
        waiting > 0 ? "\(waiting) queued mails will be sent, possibly a second time" : nil,
        dropped.isEmpty ? nil : "\(dropped.count) queued mails are too old and were dropped",
      ].compactMap { $0 }
      return lines.isEmpty ? nil : lines.joined(separator: "; ")
    }
  }
}
