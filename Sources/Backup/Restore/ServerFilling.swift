import Database

/// The database of a server while a restore fills it. Until the files are in place as well, it is
/// marked, and PairSpot does not run on it.
final class ServerFilling {
  private let server: DatabaseServer
  private let database: Database
  /// Whether it has the rows of the backup.
  private var isFilled = false

  /// Marks the database. Throws `BackupError` if it is not empty.
  init(_ address: String) throws {
    server = try DatabaseServer(address)
    database = try Database(server: address)
    do {
      try database.beginFilling()
    } catch StorageError.unsupported(let reason) {
      throw BackupError("PAIRSPOT_DATABASE_URL must name an empty database: \(reason)")
    }
  }

  func restore(_ dump: String) throws {
    try server.restore(dump)
    isFilled = true
  }

  /// Removes the mark. Throws `StorageError`.
  func end() throws { try database.endFilling() }

  /// Leaves the database after an error: empty, if nothing was restored. Returns the error to tell.
  func abandoned(because error: any Error) -> any Error {
    guard isFilled else {
      try? end()
      return error
    }
    return BackupError("\(error); the database has rows of the backup: use another one, empty")
  }
}
