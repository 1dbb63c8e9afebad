import Glibc
import PostgreSQL

/// Whole databases of a server, for backups, drills and moves.
extension Database {
  /// Reads the database at a connection URI on a connection that is closed afterwards. Throws
  /// `StorageError`.
  public static func inspect<Result>(
    server address: String, _ body: (ReadTransaction) throws -> Result
  ) throws -> Result {
    try Database(server: address).read(body)
  }

  /// Creates a database on the server of another one; `name` must not come from outside. Throws
  /// `StorageError`.
  public static func create(_ name: String, onServerOf address: String) throws {
    try run("CREATE DATABASE \"\(name)\" TEMPLATE template0 ENCODING 'UTF8'", address)
  }

  /// Removes a database, if it exists, with the connections to it. Throws `StorageError`.
  public static func drop(_ name: String, onServerOf address: String) throws {
    try run("DROP DATABASE IF EXISTS \"\(name)\" WITH (FORCE)", address)
  }

  /// Runs a statement that no transaction may have.
  private static func run(_ statement: String, _ address: String) throws {
    let connection = try PostgreSQLEngine.connect(to: address)
    try StorageError.translatingPostgreSQL { try connection.run(statement) }
  }

  /// Begins to fill a database without tables. Until `endFilling`, PairSpot does not run on it
  /// (`refuseUnfinished`). Throws `StorageError.unsupported` if it has tables.
  public func beginFilling() throws {
    try exclusively { writer in
      try writer.refuseTables()
      try writer.execute(Query(sql: UnfinishedMark.create, values: []))
    }
  }

  public func endFilling() throws {
    try exclusively { try $0.execute(Query(sql: UnfinishedMark.drop, values: [])) }
  }

  /// Runs `body` in a transaction that needs no tables, unlike `write`.
  private func exclusively(_ body: (WriteTransaction) throws -> Void) throws {
    guard case .postgresql(let engine) = engine else { return try write(body) }
    try engine.exclusively { try body(WriteTransaction(.postgresql($0), log: nil)) }
  }

  /// How often connections are looked at: the server lists one for a moment after its end.
  private static let maximumLooks = 10

  /// The number of this role's connections to this database from other processes, on any machine,
  /// whatever name they gave; 0 for SQLite.
  public func otherConnections() throws -> Int {
    guard case .postgresql(let engine) = engine else { return 0 }
    var others: Set<Int> = []
    for _ in 0..<Self.maximumLooks {
      let processes = try read {
        try $0.values(
          """
          SELECT pid FROM pg_stat_activity
          WHERE datname = current_database() AND usename = current_user
            AND backend_type = 'client backend'
          """, as: Int.self)
      }
      others = Set(processes).subtracting(engine.idleProcesses)
      if others.isEmpty { break }
      usleep(100_000)
    }
    return others.count
  }

  /// Throws `StorageError.unsupported` for a database that was not filled completely.
  public func refuseUnfinished() throws {
    guard !isSQLite, try read({ try $0.isUnfinished() }) else { return }
    throw UnfinishedMark.found
  }
}

/// The mark of a server's database that is being filled: it stays if that is interrupted. An SQLite
/// file has another name in that time.
enum UnfinishedMark {
  static let name = "pairspot_unfinished"
  static let create = "CREATE TABLE \(name) ()"
  static let drop = "DROP TABLE \(name)"
  static let found = StorageError.unsupported(
    "a restore or a move did not fill this database completely: use another database, empty")
}

/// For PostgreSQL only.
extension ReadTransaction {
  func isUnfinished() throws -> Bool {
    try exists("SELECT 1 WHERE to_regclass(\(UnfinishedMark.name)) IS NOT NULL")
  }

  /// Throws `StorageError.unsupported` if the database has tables, other than those of extensions.
  func refuseTables() throws {
    if try isUnfinished() { throw UnfinishedMark.found }
    let name = try values(
      """
      SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
        AND NOT EXISTS (SELECT 1 FROM pg_depend d
          WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
      ORDER BY c.relname LIMIT 1
      """, as: String.self
    ).first
    if let name {
      throw StorageError.unsupported("the database is not empty: it has the table \(name)")
    }
  }

  /// The name of this transaction's snapshot, by which `pg_dump` sees the same rows; valid as long
  /// as the transaction, which may take as long as the dump.
  public func exportedSnapshot() throws -> String {
    try run("SET LOCAL idle_in_transaction_session_timeout = 0") { $0.skipAll() }
    return try values("SELECT pg_export_snapshot()", as: String.self).first ?? ""
  }

  /// The size of the database on the server's disk, in bytes.
  public func serverSize() throws -> Int64 {
    try value("SELECT pg_database_size(current_database())") ?? 0
  }

  /// Whether the role may create databases.
  public func mayCreateDatabases() throws -> Bool {
    try value(
      """
      SELECT CASE WHEN rolcreatedb OR rolsuper THEN 1 ELSE 0 END FROM pg_roles
      WHERE rolname = current_user
      """) ?? false
  }
}
