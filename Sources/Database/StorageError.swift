import GRDB
import GRDBSQLite
import Glibc

/// What can go wrong with a database, as far as callers tell cases apart.
public enum StorageError: Error, CustomStringConvertible {
  /// A unique index or primary key forbids the row; holds what SQLite says of it.
  case duplicate(String)
  /// Another constraint forbids it: CHECK, NOT NULL, a foreign key, a trigger.
  case constraint(String)
  /// Somebody else held the database for longer than we wait.
  case busy
  /// There is no room on the disk, or none that we may have.
  case full
  /// Others would have too little room to write beside a copy of the database.
  case noRoomForCopy
  /// A stored value is not of the form that it should have.
  case unreadable(String)
  /// Anything else, with SQLite's code and words.
  case other(code: Int32, String)

  /// Whether SQLite found pages or an index that can't be right, not only something it couldn't do.
  public var saysCorrupt: Bool {
    if case .other(let code, _) = self { code & 0xFF == SQLITE_CORRUPT } else { false }
  }

  public var description: String {
    switch self {
    case .duplicate(let what): "duplicate: \(what)"
    case .constraint(let what): "constraint: \(what)"
    case .busy: "the database is locked"
    case .full: "the disk is full"
    case .noRoomForCopy: "there is no room for a copy of the database"
    case .unreadable(let what): "unreadable: \(what)"
    case .other(let code, let what): "database error \(code): \(what)"
    }
  }

  /// What SQLite says when the disk, or our part of it, may be full: it knows ENOSPC of a write alone
  /// (`SQLITE_FULL`). A quota is an error of writing; room that is given out late is missing only
  /// when all is to be on the disk, or when a file is closed; and a log, or the index in the memory
  /// that its readers share, can't be made or made longer. The rest tells of other troubles: of
  /// reading, of locks, of memory.
  static let mayBeFull: Set<Int32> = [
    ResultCode.SQLITE_IOERR_WRITE, .SQLITE_IOERR_FSYNC, .SQLITE_IOERR_DIR_FSYNC,
    .SQLITE_IOERR_TRUNCATE, .SQLITE_IOERR_CLOSE, .SQLITE_IOERR_SHMOPEN, .SQLITE_IOERR_SHMSIZE,
    .SQLITE_CANTOPEN, .SQLITE_CANTOPEN_FULLPATH, .SQLITE_IOERR,
  ].reduce(into: []) { $0.insert($1.rawValue) }

  /// `system` is the last error that SQLite heard of the operating system on the same connection, 0
  /// for none.
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

  /// Runs `body`, which opens the file at a path, and turns the driver's errors into ours: there is no
  /// connection yet that could say what the operating system said, so the file system is asked.
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

  /// Whether a file could be made, or made longer, beside one.
  private static func hasRoom(for path: String) -> Bool {
    let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      .joined(separator: "/")
    var space = statvfs()
    guard statvfs(folder.isEmpty ? "." : folder, &space) == 0 else { return true }
    return space.f_bavail > 0 && (space.f_files == 0 || space.f_favail > 0)
  }

  /// Runs `body`, and turns the driver's errors into ours; given the connection, with what the
  /// operating system said to it.
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
