import Core
import Database
import Jobs

/// When nobody could tap because of us (docs/developer/check-in.md#outages).
struct OutageStore {
  /// The name of the heartbeat of those who answer requests.
  static let heartbeat = "handlers"

  let database: Database
  /// The most that is given back, in s; 0 for none, nil for as long as the outage was.
  let mostGrace: Int64?

  /// Says that somebody answers requests, and notes what the time since the last beat shows: an
  /// outage that ended, a clock that was set.
  func beat(now: Instant) throws {
    try database.write { writer in
      let last = try JobStore.lastBeat(Self.heartbeat, in: writer.reader)
      let known = try known(since: min(now, last ?? now), in: writer.reader)
      let after = Outage.known(after: known, beat: now, last: last)
      if after != known { try replace(known, by: after, in: writer) }
      if let last, last.seconds(since: now) > CheckInScan.setBack {
        // Else only a scan that ran meanwhile would show it to the next one.
        try JobStore.beat(CheckInScan.beginning, now: last, in: writer)
      }
      try JobStore.beat(Self.heartbeat, now: now, in: writer)
    }
  }

  /// Says that a request was answered by a process of its own, which nobody runs who would beat: so
  /// its absence means nothing. What waited for somebody to answer begins.
  func answered(now: Instant) throws {
    let (beat, waits) = try database.read { reader in
      (
        try JobStore.lastBeat(Self.heartbeat, in: reader),
        try known(since: now, in: reader).contains(where: \.waitsForFirstBeat)
      )
    }
    // Of handlers that run no more.
    let isOver = beat.map { abs(now.seconds(since: $0)) > Outage.shortest } ?? false
    guard waits || isOver else { return }
    try database.write { writer in
      let known = try known(since: now, in: writer.reader)
      let after = Outage.known(after: known, beat: now, last: nil)
      if after != known { try replace(known, by: after, in: writer) }
      if isOver { try JobStore.forgetBeat(Self.heartbeat, in: writer) }
    }
  }

  /// Those of which a beat may change something, the earlier one of which is at `moment`: whose
  /// grace was not over then, and clocks that were set back and had not come so far again.
  private func known(since moment: Instant, in reader: ReadTransaction) throws -> [Outage] {
    try reader.rows(
      """
      SELECT began_at, ended_at, grace_until, cause FROM outages
      WHERE grace_until > ? OR began_at > ?
      """, moment, moment, make: Self.outage)
  }

  private func replace(_ known: [Outage], by after: [Outage], in writer: WriteTransaction) throws {
    for outage in known {
      try writer.execute("DELETE FROM outages WHERE began_at = ?", outage.began)
    }
    for outage in after { try Self.add(outage, mostGrace: mostGrace, in: writer) }
  }

  /// Notes an outage with as much grace as is configured at the most.
  static func add(_ outage: Outage, mostGrace: Int64?, in writer: WriteTransaction) throws {
    let grace = outage.graceUntil.seconds(since: outage.ended)
    let until =
      outage.waitsForFirstBeat
      ? outage.graceUntil : outage.ended.adding(seconds: min(grace, mostGrace ?? grace))
    try writer.execute(
      """
      INSERT INTO outages (began_at, ended_at, grace_until, cause) VALUES (?, ?, ?, ?)
      ON CONFLICT (began_at) DO UPDATE SET
        ended_at = excluded.ended_at, grace_until = excluded.grace_until, cause = excluded.cause
      """, outage.began, outage.ended, until, outage.cause.rawValue)
  }

  /// What a restored backup knew of a clock was that of another machine.
  static func forgetClocks(in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM outages WHERE cause = ?", Outage.Cause.clock.rawValue)
  }

  /// Whether alerts wait; nil when they don't.
  ///
  /// A clock that is far from the last beat of the handlers may be wrong, or they are gone: until
  /// they have beaten by it nobody is alarmed by what it says. An outage that ends in the future was
  /// seen by a clock that has been put right since.
  func hold(now: Instant, in reader: ReadTransaction) throws -> AlertSuspension? {
    if mostGrace == 0 { return nil }
    if let beat = try JobStore.lastBeat(Self.heartbeat, in: reader) {
      let age = now.seconds(since: beat)
      if age > Outage.shortest { return AlertSuspension(until: nil, cause: .outage) }
      if age < -Outage.shortest { return AlertSuspension(until: nil, cause: .clock) }
    }
    let outage = try reader.first(
      """
      SELECT began_at, ended_at, grace_until, cause FROM outages
      WHERE grace_until > ? AND (ended_at <= ? OR grace_until = ?)
      ORDER BY grace_until DESC LIMIT 1
      """, now, now.adding(seconds: Outage.shortest), Instant.distantFuture, make: Self.outage)
    return outage.map {
      AlertSuspension(until: $0.waitsForFirstBeat ? nil : $0.graceUntil, cause: $0.cause)
    }
  }

  /// Further back than this, in s, no outage counts for an alert that waits today.
  private static let longestWait: Int64 = .days(366)

  /// Until when each alert waits; to be asked while any does.
  func grace(now: Instant, in reader: ReadTransaction) throws -> AlertGracePeriod {
    let outages = try reader.rows(
      """
      SELECT began_at, ended_at, grace_until, cause FROM outages
      WHERE grace_until > ? ORDER BY grace_until
      """, now.adding(seconds: -Self.longestWait), make: Self.outage)
    return AlertGracePeriod(outages: outages)
  }

  /// Where the clock was before it began at some day long past; nil while it is not there.
  func yearsBehind(now: Instant, in reader: ReadTransaction) throws -> Instant? {
    try reader.first(
      """
      SELECT began_at FROM outages WHERE began_at > ? AND ended_at < began_at
      ORDER BY began_at DESC LIMIT 1
      """, now.adding(seconds: Outage.longest)
    ) { $0.instant(0) }
  }

  /// A moment by which nothing is put off, when the clock is far from the handlers' last beat.
  func doubt(now: Instant, in reader: ReadTransaction) throws -> Instant? {
    guard let beat = try JobStore.lastBeat(Self.heartbeat, in: reader),
      abs(now.seconds(since: beat)) > Outage.shortest
    else { return nil }
    return min(beat, now)
  }

  /// Until when nothing goes out that was decided before the backup was made from which this
  /// instance was restored; nil when nothing is held. A clock that has run away from the last beat
  /// ends no grace.
  func restoredUntil(now: Instant, in reader: ReadTransaction) throws -> Instant? {
    if mostGrace == 0 { return nil }
    let beat = try JobStore.lastBeat(Self.heartbeat, in: reader)
    return try reader.first(
      """
      SELECT grace_until FROM outages WHERE grace_until > ? AND cause = ?
      ORDER BY grace_until DESC LIMIT 1
      """, min(now, beat ?? now), Outage.Cause.restore.rawValue
    ) { $0.instant(0) }
  }

  private static func outage(_ row: Row) -> Outage {
    Outage(
      began: row.instant(0), ended: row.instant(1), graceUntil: row.instant(2),
      cause: Outage.Cause(rawValue: row.text(3)) ?? .outage)
  }
}
