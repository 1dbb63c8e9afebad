import Basics
import Database

/// What a restored backup means for mail that waited when it was made. It may have gone out since:
/// rather twice than never, and the second one has the same Message-ID. Only what is too old to be
/// tried any more is dropped, unless it is never given up.
public enum MailRestore {
  public static let step = RestoreStep("mail") { writer, backup in
    let dropped = try writer.execute(
      """
      DELETE FROM mail_queue WHERE sent_at IS NULL AND failed_at IS NULL
        AND never_given_up = 0 AND created_at < ?
      """, backup.now.adding(seconds: -RetryPlan.patience))
    // Whoever worked on a job then works on it no more.
    try writer.execute(
      "UPDATE jobs SET lease = NULL, run_at = ? WHERE lease IS NOT NULL", backup.now)
    // How we stood with the mail server then says nothing of today.
    try MailStanding.noteTaken(in: writer)
    let waiting = try MailStore.waiting(in: writer.reader).count
    let lines = [
      waiting > 0 ? "\(waiting) mails that waited go out, perhaps for the second time" : nil,
      dropped > 0 ? "\(dropped) mails that waited too long are dropped" : nil,
    ].compactMap { $0 }
    return lines.isEmpty ? nil : lines.joined(separator: "; ")
  }
}
