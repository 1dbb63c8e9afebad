import Database

/// A counter for the operator that only grows, kept in the database. An event is counted once, in
/// its own transaction, by any process; the count stays when the counted rows are deleted
/// (docs/operator/monitoring.md).
public struct PersistentCounter: Sendable {
  /// The name in `/metrics` ("pairspot_people_total").
  public let name: String
  /// One sentence for operators.
  let help: String

  public init(_ name: String, _ help: String) {
    self.name = name
    self.help = help
  }

  /// Adds one. Transactions of PostgreSQL that change the same row repeat each other, so each
  /// connection adds to one of 16 rows there.
  public func count(in writer: WriteTransaction) throws {
    let row = Query(sqlite: "\(name)", postgresql: "\(name) || ' ' || pg_backend_pid() % 16")
    try writer.execute(
      """
      INSERT INTO totals (name, count) VALUES (\(row), 1)
      ON CONFLICT (name) DO UPDATE SET count = totals.count + 1
      """)
  }

  /// The count since this instance began to count.
  public func value(in reader: ReadTransaction) throws -> Int {
    let last = "\(name) 99"
    return try reader.count(
      "SELECT coalesce(sum(count), 0) FROM totals WHERE name BETWEEN \(name) AND \(last)")
  }

  /// The counter as a metric of `/metrics`.
  public func counter(in database: Database) -> Counter {
    Counter(name, help) { try database.read { try value(in: $0) } }
  }
}
