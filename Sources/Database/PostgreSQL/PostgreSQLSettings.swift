/// All settings of connections (docs/developer/postgresql.md#connections).
enum PostgreSQLSettings {
  /// 15.0, as libpq counts.
  static let minimumVersion: Int32 = 150_000

  /// Defaults, which the address overrides. A server that does not answer is given up after some
  /// 15 s, and only one that takes writes is used: after a failover that is another one.
  static let connection = [
    ("application_name", "pairspot"), ("connect_timeout", "5"),
    ("target_session_attrs", "read-write"), ("tcp_user_timeout", "15000"),
    ("keepalives_idle", "5"), ("keepalives_interval", "5"), ("keepalives_count", "2"),
  ]

  /// A commit is on disk when it is acknowledged; a stricter setting of the server stays. A
  /// statement waits for locks as long as with SQLite.
  static let session = """
    SELECT set_config('synchronous_commit', 'on', false)
    WHERE current_setting('synchronous_commit') IN ('off', 'local', 'remote_write');
    SET lock_timeout = '\(Int(Pragmas.timeout * 1000))ms';
    SET client_min_messages = warning
    """
}
