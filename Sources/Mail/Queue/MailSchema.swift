import Database

/// Queued mail, and for 7 days sent mail (docs/developer/data-protection.md).
public enum MailSchema {
  public static let migrations = queue + MailResultSchema.migrations

  private static let queue = [
    Migration(
      "mail 1: queue",
      """
      CREATE TABLE mail_queue (
        id BLOB PRIMARY KEY,
        recipient_sealed BLOB NOT NULL,
        content_sealed BLOB NOT NULL,
        created_at INTEGER NOT NULL,
        attempts INTEGER NOT NULL DEFAULT 0,
        sent_at INTEGER,
        failed_at INTEGER,
        last_error TEXT
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX mail_queue_by_end ON mail_queue (coalesce(sent_at, failed_at))
        WHERE sent_at IS NOT NULL OR failed_at IS NOT NULL;
      CREATE INDEX mail_queue_waiting ON mail_queue (created_at)
        WHERE sent_at IS NULL AND failed_at IS NULL;
      """),
    Migration(
      "mail 2: whose mail it is",
      """
      -- A keyed hash: mail to somebody who left is found without being opened.
      ALTER TABLE mail_queue ADD COLUMN recipient_hash BLOB;
      CREATE INDEX mail_queue_by_recipient ON mail_queue (recipient_hash, created_at)
        WHERE recipient_hash IS NOT NULL;
      """),
  ]
}
