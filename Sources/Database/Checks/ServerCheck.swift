import Glibc

/// Checks of the settings of a PostgreSQL server (docs/operator/postgresql.md#doctor).
public enum ServerCheck {
  /// The difference of clocks that is tolerated, in s.
  private static let clockTolerance: Int64 = 5

  /// Finds settings with which data may be lost or connections are refused. `connections` is the
  /// number that this machine needs. `machineTime` is the time of its clock. PostgreSQL only.
  public static func check(
    connections: Int,
    machineTime: @escaping @Sendable () -> Int64 = { Int64(time(nil)) }
  ) -> DoctorCheck {
    DoctorCheck("database server") { reader in
      let facts = try ServerFacts(reader)
      let difference = abs(facts.seconds - machineTime())
      let findings: [String?] = [
        facts.encoding == "UTF8" ? nil : "the database's encoding is \(facts.encoding), not UTF8",
        facts.schema == "public"
          ? nil : "the tables are in the schema \(facts.schema): backups need them in public",
        ["on", "remote_apply"].contains(facts.synchronousCommit)
          ? nil : "synchronous_commit is \(facts.synchronousCommit)",
        facts.maximumConnections >= connections
          ? nil
          : "of \(connections) connections the role may have only \(facts.maximumConnections)",
        difference <= clockTolerance
          ? nil : "the server's clock differs from this machine's by \(difference) s",
      ]
      return findings.compactMap { $0 }
    }
  }

  /// Information for the operator, a line each; empty for SQLite.
  public static func notes(_ database: Database) throws -> [String] {
    guard !database.isSQLite else { return [] }
    return try database.read { reader in
      let facts = try ServerFacts(reader)
      let warnings = ["fsync", "full_page_writes"].filter { facts.offSettings.contains($0) }
        .map { "\($0) is off: a crash of the server's machine may damage the database" }
      let isSuperuser: Bool =
        try reader.value(
          """
          SELECT CASE WHEN rolsuper THEN 1 ELSE 0 END FROM pg_roles WHERE rolname = current_user
          """) ?? false
      let rights = isSuperuser ? ["the role is a superuser: it needs only its database"] : []
      let standbys = try reader.rows(
        """
        SELECT application_name, coalesce(sync_state, ''),
          CAST(coalesce(extract(epoch FROM replay_lag) * 1000, -1) AS BIGINT)
        FROM pg_stat_replication
        """
      ) { row in
        let (name, state) = (try row.next(String.self), try row.next(String.self))
        let lag = try row.next(Int.self)
        return "standby \(name): \(state.isEmpty ? "state unknown" : state), "
          + (lag < 0 ? "no lag is reported" : "\(lag) ms behind")
      }
      return ["PostgreSQL \(facts.version)"] + warnings + rights + standbys
    }
  }
}

/// The settings of a server that are checked.
private struct ServerFacts {
  let version: String
  let encoding: String
  let schema: String
  let synchronousCommit: String
  /// The number that this role may have to this database.
  let maximumConnections: Int
  /// The server's time, in s since 1970.
  let seconds: Int64
  /// Those of some settings that are off.
  let offSettings: [String]

  init(_ reader: ReadTransaction) throws {
    func setting(_ name: String) throws -> String {
      try reader.value("SELECT current_setting(\(name))") ?? ""
    }
    version = try setting("server_version")
    encoding = try setting("server_encoding")
    synchronousCommit = try setting("synchronous_commit")
    schema = try reader.value("SELECT coalesce(current_schema()::text, '')") ?? ""
    // -1 is no limit of its own.
    maximumConnections = try reader.count(
      """
      SELECT least(
        CAST(current_setting('max_connections') AS BIGINT)
          - CAST(current_setting('superuser_reserved_connections') AS BIGINT),
        CASE WHEN r.rolconnlimit >= 0 THEN r.rolconnlimit END,
        CASE WHEN d.datconnlimit >= 0 THEN d.datconnlimit END)
      FROM pg_roles r, pg_database d
      WHERE r.rolname = current_user AND d.datname = current_database()
      """)
    seconds = try reader.value("SELECT CAST(extract(epoch FROM clock_timestamp()) AS BIGINT)") ?? 0
    offSettings = try reader.values(
      """
      SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') AND setting = 'off'
      """, as: String.self)
  }
}
