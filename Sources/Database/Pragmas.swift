import GRDB
import GRDBSQLite
import Glibc

/// Every setting of a connection, in one place (docs/operator/backup-and-restore.md).
enum Pragmas {
  /// How long a connection waits for another's lock, in s.
  static let timeout = 5.0
  private static let leastTimeout = 0.25

  static func openWriter(_ path: String) throws -> DatabaseQueue {
    var configuration = shared
    configuration.journalMode = .wal
    // Between the turns of those whose changes are kept together (`GroupCommit`).
    configuration.allowsUnsafeTransactions = true
    let queue = try retryingWhileBusy { try DatabaseQueue(path: path, configuration: configuration) }
    // Setting up the write-ahead log lowers `synchronous` to NORMAL: a commit must be on the disk.
    try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    return queue
  }

  static func openReader(_ path: String) throws -> DatabaseQueue {
    var configuration = shared
    configuration.readonly = true
    return try DatabaseQueue(path: path, configuration: configuration)
  }

  /// Who turns the write-ahead log on while another does so is told at once that it is locked,
  /// whatever they are ready to wait: when several processes start at once on a new database.
  private static func retryingWhileBusy<Result>(_ open: () throws -> Result) throws -> Result {
    let asked = ContinuousClock.now
    while true {
      do {
        return try open()
      } catch let error as GRDB.DatabaseError
        where error.resultCode == .SQLITE_BUSY && asked.duration(to: .now) < .seconds(timeout)
      {
        usleep(20_000)
      }
    }
  }

  /// Has a connection wait so many s for another's lock; never so few that one of our own
  /// processes, which hold it for a moment only, would be in the way.
  static func wait(_ seconds: Double, on connection: GRDB.Database) {
    let bounded = max(leastTimeout, min(seconds, timeout))
    sqlite3_busy_timeout(connection.sqliteConnection, Int32((bounded * 1000).rounded()))
  }

  private static var shared: Configuration {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = true
    configuration.busyMode = .timeout(timeout)
    configuration.prepareDatabase { connection in
      // What is deleted is overwritten: a purge is for good
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
