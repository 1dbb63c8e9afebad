import Database

/// A counter for the operator that only grows, kept in the database: whatever it counts is counted
/// in the same transaction, once, by whichever process does it, and stays counted when what was
/// counted is gone (docs/operator/monitoring.md).
public struct PersistentCounter: Sendable {
  /// As `/metrics` says it ("pairspot_people_total").
  public let name: String

  public init(_ name: String) {
    self.name = name
  }

  /// One more.
  public func count(in writer: WriteTransaction) throws {
    try writer.execute(
      """
      INSERT INTO totals (name, count) VALUES (?, 1)
      ON CONFLICT (name) DO UPDATE SET count = count + 1
      """, name)
  }

  /// How many there were since this instance began to count them.
  public func value(in reader: ReadTransaction) throws -> Int {
    try reader.count("SELECT count FROM totals WHERE name = ?", name)
  }

  /// For `/metrics`.
  public func counter(in database: Database) -> Counter {
    Counter(name) { try database.read { try value(in: $0) } }
  }
}
