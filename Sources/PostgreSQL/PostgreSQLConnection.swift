import Cpq

/// A connection to a server. Statements are prepared once and kept.
///
/// Sendable because libpq ties a connection to no thread, and the pool that owns it lends it to one
/// at a time.
public final class PostgreSQLConnection: @unchecked Sendable {
  /// The number of statements that are kept. Texts are fixed, so it is reached only if one of them
  /// is composed in too many ways.
  private static let maximumStatements = 2000

  private let pointer: OpaquePointer
  private var names: [Statement: String] = [:]
  /// The first error since `forgetFailure`: after it the server refuses all statements of the
  /// transaction.
  public private(set) var failure: PostgreSQLError?

  private struct Statement: Hashable {
    let sql: String
    let types: [UInt32]
  }

  /// Connects to the first server that suits. `address` is a connection URI
  /// (https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-CONNSTRING); it may name several
  /// hosts, and overrides `defaults`. Throws `PostgreSQLError`.
  public init(_ address: String, defaults: [(String, String)]) throws {
    // libpq's own message about a wrong address quotes it, with the password.
    guard PostgreSQLAddress(address) != nil else {
      throw PostgreSQLError(
        sqlState: "", message: "this is not the address of a PostgreSQL database",
        isConnectionLost: true)
    }
    // The last one of the same name counts, and those of the address count as where it stands.
    let options = defaults + [("dbname", address), ("client_encoding", "UTF8")]
    let connected = Self.withCStrings(options.map(\.0)) { names in
      Self.withCStrings(options.map(\.1)) { values in PQconnectdbParams(names, values, 1) }
    }
    guard let connected else {
      throw PostgreSQLError(sqlState: "", message: "out of memory", isConnectionLost: true)
    }
    guard PQstatus(connected) == CONNECTION_OK else {
      defer { PQfinish(connected) }
      throw PostgreSQLError(
        sqlState: "", message: Self.line(String(cString: PQerrorMessage(connected))),
        isConnectionLost: true)
    }
    // Notices would be written to standard error.
    PQsetNoticeProcessor(connected, { _, _ in }, nil)
    pointer = connected
  }

  deinit { PQfinish(pointer) }

  /// The server's version: 150_018 is 15.18.
  public var serverVersion: Int32 { PQserverVersion(pointer) }

  /// The number of the server's process for this connection.
  public var serverProcess: Int32 { PQbackendPID(pointer) }

  public var isLost: Bool { PQstatus(pointer) != CONNECTION_OK }

  /// Whether no transaction is open.
  public var isIdle: Bool { PQtransactionStatus(pointer) == PQTRANS_IDLE }

  public func forgetFailure() {
    failure = nil
  }

  /// Runs statements separated by semicolons, without parameters; returns the result of the last
  /// one. Throws `PostgreSQLError`.
  @discardableResult
  public func run(_ sql: String) throws -> PostgreSQLResult {
    try checked(PQexec(pointer, sql))
  }

  /// Executes a statement without parameters, which is not kept. Throws `PostgreSQLError`.
  public func runOnce(_ sql: String) throws -> PostgreSQLResult {
    try checked(PQexecParams(pointer, sql, 0, nil, nil, nil, nil, 1))
  }

  /// Prepares a statement with `$1`, `$2` … for its parameters, unless it is prepared already, and
  /// executes it. Throws `PostgreSQLError`.
  public func execute(_ sql: String, _ parameters: [PostgreSQLParameter]) throws -> PostgreSQLResult
  {
    let name = try prepare(Statement(sql: sql, types: parameters.map(\.type)))
    var bytes: [UInt8] = []
    var ends: [Int] = []
    for parameter in parameters {
      parameter.append(to: &bytes)
      ends.append(bytes.count)
    }
    // Never empty, since a null pointer would be NULL.
    bytes.append(0)
    let starts = [0] + ends.dropLast()
    let lengths = zip(starts, ends).map { Int32($1 - $0) }
    let formats = [Int32](repeating: 1, count: parameters.count)
    let result = bytes.withUnsafeBytes { buffer in
      let base = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
      let values = zip(starts, ends).map { start, _ in base.map { UnsafePointer($0 + start) } }
      return PQexecPrepared(
        pointer, name, Int32(parameters.count), values, lengths, formats, 1)
    }
    return try checked(result)
  }

  // MARK: Copying

  /// Sends bytes to the `COPY … FROM STDIN` that runs. Throws `PostgreSQLError`.
  func sendCopy(_ bytes: [UInt8]) throws {
    let sent = bytes.withUnsafeBytes { buffer in
      PQputCopyData(
        pointer, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(buffer.count))
    }
    guard sent == 1 else { throw failed(sqlState: "", String(cString: PQerrorMessage(pointer))) }
  }

  /// Ends the `COPY … FROM STDIN`; returns the number of its rows. Throws `PostgreSQLError`.
  func endCopy() throws -> Int {
    guard PQputCopyEnd(pointer, nil) == 1 else {
      throw failed(sqlState: "", String(cString: PQerrorMessage(pointer)))
    }
    defer { while let rest = PQgetResult(pointer) { PQclear(rest) } }
    return try checked(PQgetResult(pointer)).changedRows
  }

  /// The name of a prepared statement.
  private func prepare(_ statement: Statement) throws -> String {
    if let name = names[statement] { return name }
    if names.count >= Self.maximumStatements {
      try run("DEALLOCATE ALL")
      names = [:]
    }
    let name = "s\(names.count)"
    _ = try checked(
      PQprepare(pointer, name, statement.sql, Int32(statement.types.count), statement.types))
    names[statement] = name
    return name
  }

  private func checked(_ pointer: OpaquePointer?) throws -> PostgreSQLResult {
    guard let pointer else {
      throw failed(sqlState: "", String(cString: PQerrorMessage(self.pointer)))
    }
    let result = PostgreSQLResult(pointer)
    switch PQresultStatus(pointer) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_COPY_IN: return result
    default:
      throw failed(
        sqlState: Self.field("C", of: pointer) ?? "",
        Self.field("M", of: pointer) ?? String(cString: PQresultErrorMessage(pointer)))
    }
  }

  private func failed(sqlState: String, _ message: String) -> PostgreSQLError {
    let error = PostgreSQLError(
      sqlState: sqlState, message: Self.line(message), isConnectionLost: isLost)
    if failure == nil { failure = error }
    return error
  }

  /// A field of an error: `C` is the state, `M` the message.
  private static func field(_ code: Unicode.Scalar, of result: OpaquePointer) -> String? {
    PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) }
  }

  private static func line(_ message: String) -> String {
    message.split(separator: "\n").joined(separator: " ")
  }

  /// Calls `body` with texts as C does: pointers, and a null pointer at the end.
  private static func withCStrings<Result>(
    _ texts: [String], _ body: ([UnsafePointer<CChar>?]) -> Result
  ) -> Result {
    var bytes: [CChar] = []
    let starts = texts.map { text in
      defer { bytes += text.utf8CString }
      return bytes.count
    }
    return bytes.withUnsafeBufferPointer { buffer in
      body(starts.map { start in buffer.baseAddress.map { $0 + start } } + [nil])
    }
  }
}
