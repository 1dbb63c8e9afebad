import GRDB
import Glibc

/// Copies of whole databases, for backups and restoring.
extension Database {
  /// Copies the current contents of the database at `path` into a new file without a write-ahead
  /// log. Throws `StorageError`.
  ///
  /// Uses SQLite's online backup in one step: a consistent snapshot, while other connections keep
  /// writing. Small steps would restart at every write of another connection. `VACUUM INTO`
  /// rebuilds every table and index and may renumber rows. Deleted content is not copied with free
  /// pages, since it is overwritten (`secure_delete`).
  public static func copy(_ path: String, to copy: String) throws {
    try StorageError.translating {
      let source = try Pragmas.openReader(path)
      let target = try DatabaseQueue(path: copy)
      try source.backup(to: target, pagesPerStep: -1)
      try target.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
      try target.close()
      try source.close()
    }
  }

  /// Calls `body` with a temporary copy of the current contents, next to the original: for checks
  /// that need a writer and take longer than other writers would wait. Concurrent calls interfere
  /// with each other. Throws `StorageError`.
  public func withCopy<Result>(_ body: (Database) throws -> Result) throws -> Result {
    let path = try file().path
    let copy = "\(path)-copy"
    // An interrupted call leaves its copy behind.
    defer { Self.removeFile(copy) }
    Self.removeFile(copy)
    guard Self.hasSpaceForAnother(path) else { throw StorageError.noSpaceForCopy }
    try Self.copy(path, to: copy)
    let database = try Database(path: copy)
    let result = try body(database)
    try database.closeAsOneFile()
    return result
  }

  /// Whether a quarter of the file's size, and 8 MiB, would remain free next to a copy: other
  /// processes write while it is checked.
  private static func hasSpaceForAnother(_ path: String) -> Bool {
    var (file, space) = (stat(), statvfs())
    guard stat(path, &file) == 0, statvfs(path, &space) == 0 else { return true }
    let size = UInt64(max(0, file.st_size))
    return UInt64(space.f_bavail) * UInt64(space.f_frsize) > size + size / 4 + 8 << 20
  }

  /// Removes a database's file, and what SQLite keeps beside it.
  static func removeFile(_ path: String) {
    for file in files(of: path) { unlink(file) }
  }

  static func files(of path: String) -> [String] {
    [path, "\(path)-wal", "\(path)-shm", "\(path)-journal"]
  }

  /// Reads the file at `path` on a read-only connection that is closed afterwards. Throws
  /// `StorageError`, also for a file that is not a database.
  public static func inspect<Result>(
    _ path: String, _ body: (ReadTransaction) throws -> Result
  ) throws -> Result {
    try StorageError.translating {
      let queue = try Pragmas.openReader(path)
      let result = try queue.read { try body(ReadTransaction(.sqlite($0), log: nil)) }
      try queue.close()
      return result
    }
  }

  /// Reads what is stored now, without the pages that open connections have cached. Throws
  /// `StorageError`.
  public func readStored<Result>(_ body: (ReadTransaction) throws -> Result) throws -> Result {
    guard case .sqlite(let file) = engine else { return try read(body) }
    return try Self.inspect(file.path, body)
  }

  /// Closes the database and moves the write-ahead log into its one file. No other process may have
  /// it open. Throws `StorageError`.
  public func closeAsOneFile() throws {
    try StorageError.translating {
      let file = try file()
      try file.closeReaders()
      try file.withWriter { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
      try file.writer.close()
    }
  }
}
