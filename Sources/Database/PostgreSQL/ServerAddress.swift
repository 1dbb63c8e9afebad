import PostgreSQL

/// The address of a server's database, in parts. The description is for people, without the
/// password.
public struct ServerAddress: Sendable, CustomStringConvertible {
  /// Programs connect to the server that takes writes, as this one does.
  private static let defaults = ["PGTARGETSESSIONATTRS": "read-write", "PGCONNECT_TIMEOUT": "5"]

  private let parts: PostgreSQLAddress

  /// Throws `StorageError.unsupported`.
  public init(_ address: String) throws {
    guard let parts = PostgreSQLAddress(address) else {
      throw StorageError.unsupported("this is not the address of a PostgreSQL database")
    }
    self.parts = parts
  }

  /// The name of the database; nil for that of the user's name.
  public var database: String? { parts.database }

  /// The variables by which `pg_dump` and `pg_restore` connect to it: a password on their command
  /// lines would be visible to all users of the machine.
  public var environment: [String: String] { Self.defaults.merging(parts.environment) { $1 } }

  /// The connection URI of another database of the same server.
  public func address(ofDatabase name: String) -> String { parts.address(ofDatabase: name) }

  public var description: String { parts.description }
}
