import Basics
import Database

/// What is to be told, kept in the transaction that makes it necessary: state and outbox, never
/// "save, then send" (architecture.md).
public struct LiveOutbox: Sendable {
  private let database: Database

  public init(database: Database) {
    self.database = database
  }

  /// Has a channel told of a newer version once this transaction is on the disk.
  public static func tell(
    _ version: Int, to channel: LiveChannel, now: Instant, in writer: Writer
  ) throws {
    try writer.execute(
      """
      INSERT INTO live_news (channel, mark, version, cuts) VALUES (?, ?, ?, 0)
      ON CONFLICT (channel) DO UPDATE SET mark = excluded.mark, version = excluded.version
      """, channel.name, ID<Entry>(now: now), version)
  }

  /// Has the streams ended that are joined to a channel. Who may listen still comes back, and is
  /// asked who they are.
  public static func cut(_ channel: LiveChannel, now: Instant, in writer: Writer) throws {
    try writer.execute(
      """
      INSERT INTO live_news (channel, mark, version, cuts) VALUES (?, ?, NULL, 1)
      ON CONFLICT (channel) DO UPDATE SET mark = excluded.mark, cuts = 1
      """, channel.name, ID<Entry>(now: now))
  }

  /// One channel's row.
  struct Entry: Sendable {
    let channel: LiveChannel
    let mark: ID<Entry>
    let version: Int?
    let cuts: Bool
  }

  /// Some of what waits.
  func waiting(limit: Int = 500) throws -> [Entry] {
    try database.read { reader in
      try reader.rows(
        "SELECT channel, mark, version, cuts FROM live_news LIMIT ?", limit
      ) { row -> Entry? in
        guard let channel = LiveChannel(row.text(0)) else { return nil }
        return Entry(
          channel: channel, mark: try row.id(1),
          version: row.isNull(2) ? nil : row.int(2), cuts: row.flag(3))
      }
    }.compactMap { $0 }
  }

  /// Takes out what was told, unless more has come since.
  func remove(_ entries: [Entry]) throws {
    try database.writeAside { writer in
      for entry in entries {
        try writer.execute(
          "DELETE FROM live_news WHERE channel = ? AND mark = ?", entry.channel.name, entry.mark)
      }
    }
  }

  /// How many channels are yet to be told.
  public func count() throws -> Int {
    try database.read { try $0.count("SELECT count(*) FROM live_news") }
  }
}
