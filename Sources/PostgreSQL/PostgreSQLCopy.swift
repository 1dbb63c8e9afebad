/// Rows of a table, sent by `COPY … FROM STDIN` in the binary format
/// (https://www.postgresql.org/docs/15/sql-copy.html). They are stored once `finish` returns.
public final class PostgreSQLCopy {
  /// The number of bytes that are sent at a time.
  private static let piece = 1 << 18
  /// The signature, no flags, and no further header.
  private static let header =
    Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00] + [UInt8](repeating: 0, count: 8)

  private let connection: PostgreSQLConnection
  private var buffer = PostgreSQLCopy.header

  /// Begins; `sql` is the statement up to `FROM`: `COPY table (columns)`. Throws `PostgreSQLError`.
  public init(_ sql: String, on connection: PostgreSQLConnection) throws {
    self.connection = connection
    try connection.run("\(sql) FROM STDIN (FORMAT binary)")
  }

  /// Sends a row; nil is NULL. The types must be those of the columns. Throws `PostgreSQLError`.
  public func send(_ row: [PostgreSQLParameter?]) throws {
    buffer.append(bigEndian: Int16(row.count))
    for value in row {
      let start = buffer.count
      // In place of the length, which is known afterwards.
      buffer.append(bigEndian: Int32(-1))
      guard let value else { continue }
      value.append(to: &buffer)
      let length = Int32(buffer.count - start - 4)
      Swift.withUnsafeBytes(of: length.bigEndian) {
        buffer.replaceSubrange(start..<start + 4, with: $0)
      }
    }
    guard buffer.count >= Self.piece else { return }
    try connection.sendCopy(buffer)
    buffer.removeAll(keepingCapacity: true)
  }

  /// Ends; returns the number of rows. Throws `PostgreSQLError`, also for rows that were refused.
  public func finish() throws -> Int {
    buffer.append(bigEndian: Int16(-1))
    try connection.sendCopy(buffer)
    buffer = []
    return try connection.endCopy()
  }
}
