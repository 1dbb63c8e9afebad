import Database

/// The evidence of reports on messages (docs/developer/messages.md#reports).
enum MessageReportSchema {
  static let migrations = [
    Migration(
      "messages reports 1: texts of reported messages",
      """
      -- A text that a message had when it was reported; its author may edit it later.
      CREATE TABLE message_reported_texts (
        message_id BLOB NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
        -- 1 for the text of the first report.
        number INTEGER NOT NULL,
        text_sealed BLOB NOT NULL,
        -- When the message was last reported.
        reported_at INTEGER NOT NULL,
        PRIMARY KEY (message_id, number)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX message_reported_texts_by_time ON message_reported_texts (reported_at);
      """)
  ]
}
