/// An error of the server, or of the way to it.
public struct PostgreSQLError: Error, CustomStringConvertible {
  /// Five characters (https://www.postgresql.org/docs/15/errcodes-appendix.html); empty if the
  /// error is not the server's.
  public let sqlState: String
  /// One line. The details are left out: they quote the values of rows.
  public let message: String
  /// Whether the connection is unusable.
  public let isConnectionLost: Bool

  public init(sqlState: String, message: String, isConnectionLost: Bool) {
    self.sqlState = sqlState
    self.message = message
    self.isConnectionLost = isConnectionLost
  }

  public var description: String { sqlState.isEmpty ? message : "\(message) (\(sqlState))" }
}
