import Basics
import Database
import Jobs

/// When nobody could tap because of us (checkin.md, "An outage is ours, not theirs").
struct OutageStore {
  /// The name of the heartbeat of those who answer requests.
  static let heartbeat = "handlers"
  /// A silence of ours longer than this is an outage, in s.
  static let shortest: Int64 = .hours(2)

  let database: Database
  /// The most that is given back, in s; 0 for none, nil for as long as the outage was.
  let mostGrace: Int64?

  /// Says that somebody answers requests, and notes the outage that ends with it.
  func beat(now: Instant) throws {
    let jobs = JobStore(database: database)
    if let last = try jobs.lastBeat(Self.heartbeat) {
      if now.seconds(since: last) > Self.shortest {
        try note(from: last, until: now, grace: now.seconds(since: last))
      } else if last.seconds(since: now) > CheckInScan.setBack {
        try forget(endingAfter: now)
      }
    }
    try jobs.beat(Self.heartbeat, now: now)
  }

  /// Forgets outages that end in what is the future again: a clock that ran ahead saw them, and
  /// they would hold alerts back once that moment has really come. What a clock misses that is
  /// wrong only now is an outage of its own when it is put right.
  private func forget(endingAfter now: Instant) throws {
    try database.write { try $0.execute("DELETE FROM outages WHERE ended_at > ?", now) }
  }

  /// Notes an outage that ended now, with a grace of so many s.
  func note(from began: Instant, until ended: Instant, grace: Int64) throws {
    let length = min(grace, mostGrace ?? grace)
    guard length > 0 else { return }
    try database.write {
      try $0.execute(
        """
        INSERT INTO outages (began_at, ended_at, grace_until) VALUES (?, ?, ?)
        ON CONFLICT (began_at) DO NOTHING
        """, began, ended, ended.adding(seconds: length))
    }
  }

  /// Until when alerts wait, `.distantFuture` while nobody answers requests; nil when they don't.
  /// An outage that ended in the future was seen by a clock that has been put right since.
  func graceUntil(now: Instant, in reader: Reader) throws -> Instant? {
    if mostGrace == 0 { return nil }
    if let beat = try JobStore.lastBeat(Self.heartbeat, in: reader),
      now.seconds(since: beat) > Self.shortest
    {
      return .distantFuture
    }
    return try reader.first(
      """
      SELECT grace_until FROM outages WHERE grace_until > ? AND ended_at <= ?
      ORDER BY grace_until DESC LIMIT 1
      """, now, now
    ) { $0.instant(0) }
  }
}
