import GRDB
import GRDBSQLite
import Glibc

/// A database error, as far as callers distinguish cases.
public enum StorageError: Error, CustomStringConvertible {
  /// A violation of a unique index or primary key, with the engine's message.
  case duplicate(String)
  /// A violation of another constraint: CHECK, NOT NULL, a foreign key, a trigger.
  case constraint(String)
  /// Another connection held the lock for longer than the timeout, or other transactions got in the
  /// way of this one each time.
  case busy
  /// The database server cannot be reached, is starting or stopping, or refused the connection.
  case unavailable(String)
  /// The connection was lost during a commit, so it is unknown whether the change is stored.
  case uncertain
  /// A table, column or function is missing: the database has the schema of another version.
  case schema(String)
  /// The disk is full or the quota is used up.
  case full
  /// Too little free space for a copy of the database.
  case noSpaceForCopy
  /// A stored value has the wrong format.
  case unreadable(String)
  /// The engine cannot do this.
  case unsupported(String)
  /// Any other error, with SQLite's code and message.
  case other(code: Int32, String)
  /// Any other error of PostgreSQL, with its state (five characters) and message.
  case server(state: String, String)

  /// Whether the engine found a corrupt page or index, as opposed to a failed operation.
  public var saysCorrupt: Bool {
    switch self {
    case .other(let code, _): code & 0xFF == SQLITE_CORRUPT
    case .server(let state, _): state == "XX001" || state == "XX002"
    default: false
    }
  }

  /// Whether the change that ended with this error may be stored all the same. Files that it names then
  /// must stay; a job deletes them if no row names them.
  public static func mayBeStored(after error: any Error) -> Bool {
    if case StorageError.uncertain = error { true } else { false }
  }

  public var description: String {
    switch self {
    case .duplicate(let what): "duplicate: \(what)"
    case .constraint(let what): "constraint: \(what)"
    case .busy: "the database is locked"
    case .unavailable(let why): "the database server is not available: \(why)"
    case .uncertain:
      "the connection to the database was lost during a commit; the change may be stored or not"
    case .schema(let what): "the database has the schema of another version: \(what)"
    case .full: "the disk is full"
    case .noSpaceForCopy: "there is not enough space for a copy of the database"
    case .unreadable(let what): "unreadable: \(what)"
    case .unsupported(let what): what
    case .other(let code, let what): "database error \(code): \(what)"
    case .server(let state, let what): "database error \(state): \(what)"
    }
  }

  /// SQLite's codes for errors that may be due to a full disk or quota. SQLite itself reports only
  /// ENOSPC of a write (`SQLITE_FULL`). An exceeded quota is a write error. With delayed
  /// allocation, the error occurs at fsync or close. And the log, or its shared-memory index, may
  /// not be created or extended. All other codes are about reading, locks or memory.
  static let mayBeFull: Set<Int32> = [
    ResultCode.SQLITE_IOERR_WRITE, .SQLITE_IOERR_FSYNC, .SQLITE_IOERR_DIR_FSYNC,
    .SQLITE_IOERR_TRUNCATE, .SQLITE_IOERR_CLOSE, .SQLITE_IOERR_SHMOPEN, .SQLITE_IOERR_SHMSIZE,
    .SQLITE_CANTOPEN, .SQLITE_CANTOPEN_FULLPATH, .SQLITE_IOERR,
  ].reduce(into: []) { $0.insert($1.rawValue) }

  /// `system` is the last `errno` of SQLite on the same connection; 0 for none.
  init(code: Int32, message: String, system: Int32 = 0) {
    if Self.mayBeFull.contains(code), [ENOSPC, EDQUOT].contains(system) {
      self = .full
      return
    }
    switch code & 0xFF {
    case SQLITE_CONSTRAINT:
      let unique = [
        ResultCode.SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_PRIMARYKEY,
        .SQLITE_CONSTRAINT_ROWID,
      ].contains { $0.rawValue == code }
      self = unique ? .duplicate(message) : .constraint(message)
    case SQLITE_BUSY, SQLITE_LOCKED: self = .busy
    case SQLITE_FULL: self = .full
    default: self = .other(code: code, message)
    }
  }

  /// Maps the driver's errors to `StorageError` while a file is opened. There is no connection yet
  /// with the system's `errno`, so free disk space decides.
  static func translating<Result>(
    opening path: String, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let error as GRDB.DatabaseError {
      throw StorageError(
        code: error.extendedResultCode.rawValue, message: error.message ?? "\(error)",
        system: hasRoom(for: path) ? 0 : ENOSPC)
    }
  }

  /// Whether the disk of a file has free space and inodes.
  private static func hasRoom(for path: String) -> Bool {
    let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      .joined(separator: "/")
    var space = statvfs()
    guard statvfs(folder.isEmpty ? "." : folder, &space) == 0 else { return true }
    return space.f_bavail > 0 && (space.f_files == 0 || space.f_favail > 0)
  }

  /// Maps the driver's errors to `StorageError`; with a connection, including the system's `errno`.
  static func translating<Result>(
    on connection: GRDB.Database? = nil, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let error as GRDB.DatabaseError {
      throw StorageError(
        code: error.extendedResultCode.rawValue, message: error.message ?? "\(error)",
        system: connection.map { sqlite3_system_errno($0.sqliteConnection) } ?? 0)
    }
  }
}
