import Core
import Database

/// The queued live events, written in the transaction that causes them: a transactional outbox,
/// never "save, then send" (docs/developer/architecture.md).
public struct LiveOutbox: Sendable {
  /// Streams are ended twice, the second time so many s later: a handler may have admitted a viewer
  /// just before they lost access, and nginx connected them just after the first cut.
  static let secondCut: Int64 = 3
  /// How long a rejected channel is left alone, in s.
  static let rest: Int64 = 5
  /// The maximum age of a queued event, in s: no stream lives long enough to need an older one.
  static let oldest: Int64 = .hours(1)

  private let database: Database

  public init(database: Database) {
    self.database = database
  }

  /// Queues a newer version of a channel, to be sent after this transaction.
  public static func notify(
    _ version: Int, to channel: LiveChannel, now: Instant, in writer: WriteTransaction
  ) throws {
    // A channel that changes all the time keeps its position in the queue.
    try writer.execute(
      """
      INSERT INTO live_news (channel, mark, version, cuts, due)
      VALUES (\(channel.name), \(ID<Entry>(now: now)), \(version), 0, \(now))
      ON CONFLICT (channel) DO UPDATE SET
        mark = excluded.mark, version = excluded.version,
        due = CASE WHEN excluded.due < live_news.due THEN excluded.due ELSE live_news.due END
      """)
  }

  /// Queues the end of a channel's streams. Clients reconnect, and are authorized again.
  public static func cut(_ channel: LiveChannel, now: Instant, in writer: WriteTransaction) throws {
    try writer.execute(
      """
      INSERT INTO live_news (channel, mark, version, cuts, due)
      VALUES (\(channel.name), \(ID<Entry>(now: now)), NULL, 2, \(now))
      ON CONFLICT (channel) DO UPDATE SET
        mark = excluded.mark, cuts = 2,
        due = CASE WHEN excluded.due < live_news.due THEN excluded.due ELSE live_news.due END
      """)
  }

  /// The row of one channel.
  struct Entry: Sendable {
    let channel: LiveChannel
    let mark: [UInt8]
    let version: Int?
    /// How often its streams are still to be ended.
    let cuts: Int
  }

  /// A row whose channel name is invalid.
  struct Unreadable: Sendable {
    let channel: String
    let mark: [UInt8]
  }

  /// Some of the due rows, the oldest first.
  struct Batch: Sendable {
    var entries: [Entry] = []
    var unreadable: [Unreadable] = []
    let isFull: Bool

    var isEmpty: Bool { entries.isEmpty && unreadable.isEmpty }

    /// The ends of streams are never held back.
    func without(_ isThrottled: (LiveChannel) -> Bool) -> Batch {
      var batch = self
      batch.entries.removeAll { $0.cuts == 0 && isThrottled($0.channel) }
      return batch
    }
  }

  /// The due rows, without those that may not be sent yet. On a server, where each node has a
  /// dispatcher, they are claimed: no other one gets them for some seconds, unless they change.
  func due(
    now: Instant, limit: Int, isThrottled: (LiveChannel) -> Bool = { _ in false }
  ) throws -> Batch {
    let found = try database.read { try Self.due(now: now, limit: limit, in: $0) }
    if database.isSQLite || found.isEmpty { return found.without(isThrottled) }
    return try database.writeWithoutHooks { writer in
      let batch = try Self.due(now: now, limit: limit, isClaiming: true, in: writer)
        .without(isThrottled)
      let channels = ValueList(batch.entries.map(\.channel.name))
      try writer.execute(
        """
        UPDATE live_news SET due = \(now.adding(seconds: Self.rest)) WHERE channel IN \(channels)
        """)
      return batch
    }
  }

  private static func due(
    now: Instant, limit: Int, isClaiming: Bool = false, in reader: ReadTransaction
  ) throws -> Batch {
    let lock: Query =
      isClaiming ? Query(sqlite: "", postgresql: "FOR UPDATE SKIP LOCKED") : ""
    // A due time far in the future was written while the clock was ahead.
    let rows = try reader.rows(
      """
      SELECT channel, mark, version, cuts FROM live_news WHERE due <= \(now)
        OR due > \(now.adding(seconds: .minutes(1)))
      ORDER BY due, cuts LIMIT \(limit) \(lock)
      """
    ) { row in
      (
        channel: try row.next(String.self), mark: try row.next([UInt8].self),
        version: try row.next(Int?.self), cuts: try row.next(Int.self)
      )
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

  /// The result of sending a batch.
  struct Outcome: Sendable {
    var sent: [Entry] = []
    var refused: [Entry] = []
    /// The entry at which nginx became unreachable.
    var unreachableEntry: Entry?
    var unreadable: [Unreadable] = []

    var isEmpty: Bool {
      sent.isEmpty && refused.isEmpty && unreachableEntry == nil && unreadable.isEmpty
    }
  }

  /// Removes the sent entries, unless they have changed since, and moves the unsent ones to the
  /// end.
  func record(_ outcome: Outcome, now: Instant) throws {
    guard !outcome.isEmpty else { return }
    try database.writeWithoutHooks { writer in
      for entry in outcome.sent {
        if entry.cuts > 1 {
          try writer.execute(
            """
            UPDATE live_news SET version = NULL, cuts = 1, due =
              \(now.adding(seconds: Self.secondCut)) WHERE channel = \(entry.channel.name)
              AND mark = \(entry.mark)
            """)
        } else {
          try writer.execute(
            "DELETE FROM live_news WHERE channel = \(entry.channel.name) AND mark = \(entry.mark)")
        }
      }
      for row in outcome.unreadable {
        try writer.execute(
          "DELETE FROM live_news WHERE channel = \(row.channel) AND mark = \(row.mark)")
      }
      let later = now.adding(seconds: Self.rest)
      for (entry, due) in outcome.refused.map({ ($0, later) })
        + (outcome.unreachableEntry.map { [($0, now)] } ?? [])
      {
        try writer.execute(
          """
          UPDATE live_news SET due = \(due) WHERE channel = \(entry.channel.name)
            AND mark = \(entry.mark)
          """)
      }
    }
  }

  /// Removes entries older than an hour, which would accumulate where nginx never runs.
  func forgetOld(now: Instant) throws {
    let oldest = ID<Entry>(now: now.adding(seconds: -Self.oldest))
    let isThere = try database.read {
      try $0.exists("SELECT 1 FROM live_news WHERE mark < \(oldest)")
    }
    guard isThere else { return }
    try database.writeWithoutHooks {
      try $0.execute("DELETE FROM live_news WHERE mark < \(oldest)")
    }
  }

  /// No stream from before a restore is still connected.
  public static let restoreStep = RestoreStep("live events") { writer, _ in
    try writer.execute("DELETE FROM live_news")
    return nil
  }

  /// The number of channels still to be sent; streams that were ended once don't count.
  public func count() throws -> Int {
    try database.read {
      try $0.count("SELECT count(*) FROM live_news WHERE version IS NOT NULL OR cuts <> 1")
    }
  }
}
