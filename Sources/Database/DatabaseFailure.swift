import GRDB
import GRDBSQLite

/// What can go wrong with a database, as far as callers tell cases apart.
public enum DatabaseFailure: Error, CustomStringConvertible {
  /// A unique index or primary key forbids the row; holds what SQLite says of it.
  case duplicate(String)
  /// Another constraint forbids it: CHECK, NOT NULL, a foreign key, a trigger.
  case constraint(String)
  /// Somebody else held the database for longer than we wait.
  case busy
  /// There is no room on the disk.
  case full
  /// A stored value is not of the form that it should have.
  case unreadable(String)
  /// Anything else, with SQLite's code and words.
  case other(code: Int32, String)

  public var description: String {
    switch self {
    case .duplicate(let what): "duplicate: \(what)"
    case .constraint(let what): "constraint: \(what)"
    case .busy: "the database is locked"
    case .full: "the disk is full"
    case .unreadable(let what): "unreadable: \(what)"
    case .other(let code, let what): "database error \(code): \(what)"
    }
  }

  init(code: Int32, message: String) {
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

  /// Runs `body`, and turns the driver's errors into ours.
  static func translating<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as GRDB.DatabaseError {
      throw DatabaseFailure(
        code: error.extendedResultCode.rawValue, message: error.message ?? "\(error)")
    }
  }
}
