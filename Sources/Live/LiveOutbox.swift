import Core
import Database

/// What is to be told, kept in the transaction that makes it necessary: state and outbox, never
/// "save, then send" (docs/developer/architecture.md).
public struct LiveOutbox: Sendable {
  /// Streams are ended twice, the second time so many s later: a handler may have let somebody in
  /// just before they had to go, and nginx joined them to their channel just after it was cut.
  static let secondCut: Int64 = 3
  /// A channel that was refused is left alone for so long, in s.
  static let rest: Int64 = 5
  /// What nobody took for so long, in s, is of no use: no stream lives through that.
  static let oldest: Int64 = .hours(1)

  private let database: Database

  public init(database: Database) {
    self.database = database
  }

  /// Has a channel told of a newer version once this transaction is on the disk.
  public static func tell(
    _ version: Int, to channel: LiveChannel, now: Instant, in writer: WriteTransaction
  ) throws {
    // A channel that changes all the time keeps its place among those that wait.
    try writer.execute(
      """
      INSERT INTO live_news (channel, mark, version, cuts, due) VALUES (?, ?, ?, 0, ?)
      ON CONFLICT (channel) DO UPDATE SET
        mark = excluded.mark, version = excluded.version, due = min(due, excluded.due)
      """, channel.name, ID<Entry>(now: now), version, now)
  }

  /// Has the streams ended that are joined to a channel. Who may listen still comes back, and is
  /// asked who they are.
  public static func cut(_ channel: LiveChannel, now: Instant, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      INSERT INTO live_news (channel, mark, version, cuts, due) VALUES (?, ?, NULL, 2, ?)
      ON CONFLICT (channel) DO UPDATE SET
        mark = excluded.mark, cuts = 2, due = min(due, excluded.due)
      """, channel.name, ID<Entry>(now: now), now)
  }

  /// One channel's row.
  struct Entry: Sendable {
    let channel: LiveChannel
    let mark: [UInt8]
    let version: Int?
    /// How often its streams are yet to be ended.
    let cuts: Int
  }

  /// A row that names no channel that could be told.
  struct Unreadable: Sendable {
    let channel: String
    let mark: [UInt8]
  }

  /// Some of what is due, who waits longest first.
  struct Batch: Sendable {
    var entries: [Entry] = []
    var unreadable: [Unreadable] = []
    let isFull: Bool
  }

  func due(now: Instant, limit: Int) throws -> Batch {
    // What is due long after now was written while the clock ran ahead.
    let rows = try database.read { reader in
      try reader.rows(
        """
        SELECT channel, mark, version, cuts FROM live_news WHERE due <= ? OR due > ?
        ORDER BY due, cuts LIMIT ?
        """, now, now.adding(seconds: .minutes(1)), limit
      ) { row in
        (
          channel: row.text(0), mark: row.bytes(1), version: row.isNull(2) ? nil : row.int(2),
          cuts: row.int(3)
        )
      }
    }
    var batch = Batch(isFull: rows.count == limit)
    for row in rows {
      if let channel = LiveChannel(row.channel) {
        batch.entries.append(
          Entry(channel: channel, mark: row.mark, version: row.version, cuts: row.cuts))
      } else {
        batch.unreadable.append(Unreadable(channel: row.channel, mark: row.mark))
      }
    }
    return batch
  }

  /// What came of telling a batch.
  struct Outcome: Sendable {
    var told: [Entry] = []
    var refused: [Entry] = []
    /// The one at which nobody answered any more.
    var unreached: Entry?
    var unreadable: [Unreadable] = []

    var isEmpty: Bool { told.isEmpty && refused.isEmpty && unreached == nil && unreadable.isEmpty }
  }

  /// Takes out what was told, unless more has come since, and puts behind the others what was not.
  func settle(_ outcome: Outcome, now: Instant) throws {
    guard !outcome.isEmpty else { return }
    try database.writeWithoutHooks { writer in
      for entry in outcome.told {
        if entry.cuts > 1 {
          try writer.execute(
            """
            UPDATE live_news SET version = NULL, cuts = 1, due = ? WHERE channel = ? AND mark = ?
            """, now.adding(seconds: Self.secondCut), entry.channel.name, entry.mark)
        } else {
          try writer.execute(
            "DELETE FROM live_news WHERE channel = ? AND mark = ?", entry.channel.name, entry.mark)
        }
      }
      for row in outcome.unreadable {
        try writer.execute(
          "DELETE FROM live_news WHERE channel = ? AND mark = ?", row.channel, row.mark)
      }
      let later = now.adding(seconds: Self.rest)
      for (entry, due) in outcome.refused.map({ ($0, later) })
        + (outcome.unreached.map { [($0, now)] } ?? [])
      {
        try writer.execute(
          "UPDATE live_news SET due = ? WHERE channel = ? AND mark = ?", due, entry.channel.name,
          entry.mark)
      }
    }
  }

  /// Takes out what nobody took for an hour: where nginx never runs it would pile up.
  func forgetOld(now: Instant) throws {
    let oldest = ID<Entry>(now: now.adding(seconds: -Self.oldest))
    let isThere = try database.read {
      try $0.exists("SELECT 1 FROM live_news WHERE mark < ?", oldest)
    }
    guard isThere else { return }
    try database.writeWithoutHooks {
      try $0.execute("DELETE FROM live_news WHERE mark < ?", oldest)
    }
  }

  /// Nobody who listened before a restore listens still.
  public static let restoreStep = RestoreStep("live events") { writer, _ in
    try writer.execute("DELETE FROM live_news")
    return nil
  }

  /// How many channels are yet to be told; streams that were ended once count no more.
  public func count() throws -> Int {
    try database.read {
      try $0.count("SELECT count(*) FROM live_news WHERE version IS NOT NULL OR cuts <> 1")
    }
  }
}
