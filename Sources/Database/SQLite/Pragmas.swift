import Csqlite
import GRDB
import GRDBSQLite
import Glibc

/// All settings of connections (docs/operator/backup-and-restore.md).
enum Pragmas {
  /// How long a connection waits for a lock, in s.
  static let timeout = 5.0
  private static let minimumTimeout = 0.25

  static func openWriter(_ path: String) throws -> DatabaseQueue {
    var configuration = shared
    configuration.journalMode = .wal
    // A transaction may stay open between calls, for other threads to join (`GroupCommit`).
    configuration.allowsUnsafeTransactions = true
    let queue = try retryingWhileBusy {
      try DatabaseQueue(path: path, configuration: configuration)
    }
    // WAL mode sets `synchronous` to NORMAL, but a commit must be on disk.
    try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    return queue
  }

  static func openReader(_ path: String) throws -> DatabaseQueue {
    var configuration = shared
    configuration.readonly = true
    return try DatabaseQueue(path: path, configuration: configuration)
  }

  /// Retries while the database is locked: turning on WAL while another process does so fails at
  /// once, whatever the busy timeout. This happens if several processes start at once on a new
  /// database.
  private static func retryingWhileBusy<Result>(_ open: () throws -> Result) throws -> Result {
    let start = ContinuousClock.now
    while true {
      do {
        return try open()
      } catch let error as GRDB.DatabaseError
        where error.resultCode == .SQLITE_BUSY && start.duration(to: .now) < .seconds(timeout)
      {
        usleep(20_000)
      }
    }
  }

  /// Sets the lock timeout of a connection in s. The minimum covers other processes of this
  /// instance, which hold a lock only briefly.
  static func wait(_ seconds: Double, on connection: GRDB.Database) {
    let bounded = max(minimumTimeout, min(seconds, timeout))
    sqlite3_busy_timeout(connection.sqliteConnection, Int32((bounded * 1000).rounded()))
  }

  /// The settings of the library, once a process and before the first connection.
  private static let isPrepared: Bool = sqlite_without_memory_statistics() == SQLITE_OK

  private static var shared: Configuration {
    _ = isPrepared
    var configuration = Configuration()
    configuration.foreignKeysEnabled = true
    configuration.busyMode = .timeout(timeout)
    configuration.prepareDatabase { connection in
      // Deleted content is overwritten, so a purge is permanent
      // (docs/developer/deletion-and-export.md).
      try connection.execute(
        sql: """
          PRAGMA cache_size = -16000;
          PRAGMA mmap_size = 268435456;
          PRAGMA temp_store = MEMORY;
          PRAGMA trusted_schema = OFF;
          PRAGMA secure_delete = ON;
          """)
    }
    return configuration
  }
}
