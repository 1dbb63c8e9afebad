import Database

/// The results of mail, and their counts (docs/developer/check-in-contacts.md#mail-sending).
enum MailResultSchema {
  static let migrations = [
    Migration(
      "mail 3: what becomes of it",
      """
      ALTER TABLE mail_queue ADD COLUMN never_given_up INTEGER NOT NULL DEFAULT 0;
      -- A server took it, but noting so failed: to be told, not to be sent again.
      ALTER TABLE mail_queue ADD COLUMN taken_at INTEGER;
      -- The last attempt was a refusal of us, which an operator has to mend.
      ALTER TABLE mail_queue ADD COLUMN refused_us_at INTEGER;
      ALTER TABLE mail_queue ADD COLUMN bounced_at INTEGER;
      CREATE INDEX mail_queue_refusing_us ON mail_queue (refused_us_at)
        WHERE refused_us_at IS NOT NULL;
      CREATE INDEX mail_queue_never_given_up ON mail_queue (created_at)
        WHERE never_given_up = 1 AND sent_at IS NULL AND failed_at IS NULL;

      CREATE TABLE mail_results (
        result TEXT PRIMARY KEY,
        count INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      """)
  ]
}
