import Database

/// The generation of the data. Restoring a backup begins a new one, by which browsers see that what
/// they had uploaded may be missing on the server (docs/operator/backup-and-restore.md).
enum RestoreGeneration {
  static let migrations = [
    Migration(
      "workouts: the epoch of the data",
      """
      CREATE TABLE data_epoch (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        epoch TEXT NOT NULL
      ) STRICT;
      INSERT INTO data_epoch (id, epoch) VALUES (1, lower(hex(randomblob(16))));
      """)
  ]

  static let restoreStep = RestoreStep("workouts") { writer, _ in
    try writer.execute("UPDATE data_epoch SET epoch = lower(hex(randomblob(16)))")
    return "browsers bring workouts again that the backup doesn't have"
  }

  static func current(in reader: ReadTransaction) throws -> String {
    try reader.value("SELECT epoch FROM data_epoch WHERE id = 1", as: String.self) ?? ""
  }
}
