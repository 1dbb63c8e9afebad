import Database

/// The tables of jobs and of the workers' heartbeats.
public enum JobSchema {
  public static let migrations = [
    Migration(
      "jobs 1: jobs and heartbeats",
      """
      CREATE TABLE jobs (
        id BLOB PRIMARY KEY,
        kind TEXT NOT NULL,
        payload TEXT NOT NULL,
        unique_key TEXT UNIQUE,
        -- When it is due; while somebody works on it, when their lease ends.
        run_at INTEGER NOT NULL,
        lease BLOB,
        attempts INTEGER NOT NULL DEFAULT 0,
        created_at INTEGER NOT NULL,
        last_error TEXT
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX jobs_by_due ON jobs (run_at);

      CREATE TABLE heartbeats (
        name TEXT PRIMARY KEY,
        at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      """)
  ]
}
