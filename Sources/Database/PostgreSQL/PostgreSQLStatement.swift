import PostgreSQL

extension PostgreSQLConnection {
  /// Executes a query and reads its rows.
  func run(_ query: Query, onlyFirst: Bool, each: (inout RowReader) throws -> Void) throws {
    let result = try execute(onlyFirst ? query.firstRow : query)
    for number in 0..<(onlyFirst ? min(result.rowCount, 1) : result.rowCount) {
      var row = RowReader(result.row(number))
      try each(&row)
      row.checkCount()
    }
  }

  /// Executes a statement; returns the number of rows that it changed itself.
  func changedRows(_ query: Query) throws -> Int {
    let result = try execute(query)
    return result.command.hasPrefix("SELECT") ? 0 : result.changedRows
  }

  private func execute(_ query: Query) throws -> PostgreSQLResult {
    let (sql, parameters) = try query.numbered()
    do {
      return try execute(sql, parameters)
    } catch let error as PostgreSQLError {
      // All statements after a failed one are refused: the first error says why.
      throw StorageError(failure ?? error)
    }
  }
}

extension Query {
  /// The query for its first row only: the server would send all of them. Other statements than
  /// SELECT are left as they are.
  fileprivate var firstRow: Query {
    forPostgreSQL.sql.hasPrefix("SELECT") ? "SELECT * FROM (\(self)) AS rows LIMIT 1" : self
  }

  /// The text with `$1`, `$2` … for its values, and the values. NULL becomes part of the text, since
  /// a parameter needs a type and NULL has none. Throws `StorageError.other` if their numbers differ.
  func numbered() throws -> (sql: String, parameters: [PostgreSQLParameter]) {
    let (text, values) = forPostgreSQL
    var rest = values[...]
    var result = ""
    result.reserveCapacity(text.utf8.count + 2 * rest.count)
    var parameters: [PostgreSQLParameter] = []
    for (position, part) in text.split(separator: "?", omittingEmptySubsequences: false)
      .enumerated()
    {
      if position > 0 {
        guard let value = rest.popFirst() else { throw Self.wrongCount(text) }
        if let parameter = value.parameter {
          parameters.append(parameter)
          result += "$\(parameters.count)"
        } else {
          result += "NULL"
        }
      }
      result += part
    }
    guard rest.isEmpty else { throw Self.wrongCount(text) }
    return (result, parameters)
  }

  private static func wrongCount(_ text: String) -> StorageError {
    .unsupported("the number of values is not that of the parameters of: \(text)")
  }
}

extension Value {
  /// nil for NULL.
  var parameter: PostgreSQLParameter? {
    switch self {
    case .null: nil
    case .integer(let integer): .integer(integer)
    case .real(let real): .real(real)
    case .text(let text): .text(text)
    case .blob(let bytes): .bytes(bytes)
    case .list(let bytes, let width): .list(of: bytes, width: width)
    }
  }
}
