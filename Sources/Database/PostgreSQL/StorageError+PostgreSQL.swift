import PostgreSQL

extension PostgreSQLError {
  /// Whether the transaction may succeed when it is repeated: serialization_failure,
  /// deadlock_detected, and errors about prepared statements, which a new connection does not have.
  var isConflict: Bool {
    sqlState == "40001" || sqlState == "40P01" || isAboutPreparedStatements
  }

  /// Whether a unique key was taken: possibly by a transaction that this one could not see, in which
  /// case it succeeds when it is repeated
  /// (https://www.postgresql.org/docs/15/transaction-iso.html#XACT-SERIALIZABLE).
  var isDuplicate: Bool { sqlState == "23505" }

  /// Whether an error of COMMIT leaves open if the transaction is stored.
  var isUncertain: Bool {
    isConnectionLost || sqlState == "40003" || sqlState.hasPrefix("08")
      || sqlState.hasPrefix("57P")
  }

  /// invalid_sql_statement_name, and feature_not_supported for "cached plan must not change result
  /// type": a column has another type since.
  var isAboutPreparedStatements: Bool {
    sqlState == "26000" || (sqlState == "0A000" && message.hasPrefix("cached plan"))
  }
}

extension StorageError {
  /// States are those of https://www.postgresql.org/docs/15/errcodes-appendix.html.
  init(_ error: PostgreSQLError) {
    switch error.sqlState {
    case _ where error.isDuplicate: self = .duplicate(error.message)
    // Classes of constraints and values; exceptions raised by triggers.
    case let state where state.hasPrefix("23") || state.hasPrefix("22") || state == "P0001":
      self = .constraint(error.message)
    // Conflicts, locks, no memory for more locks, cancelled by a time limit.
    case "40001", "40P01", "55P03", "53200", "57014": self = .busy
    case _ where error.isAboutPreparedStatements: self = .busy
    case "53100": self = .full
    // Tables, columns and functions that do not exist.
    case "42P01", "42703", "42883": self = .schema(error.message)
    // Connections, authentication, too many connections, the server is going or coming.
    case let state
    where error.isConnectionLost || state.hasPrefix("08") || state.hasPrefix("28")
      || state.hasPrefix("57P") || state == "53300":
      self = .unavailable(error.description)
    default: self = .server(state: error.sqlState, error.message)
    }
  }

  @discardableResult
  static func translatingPostgreSQL<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as PostgreSQLError {
      throw StorageError(error)
    }
  }
}
