import Core
import Database
import Jobs

/// Stores the times in which taps were not possible because of the service
/// (docs/developer/check-in.md#outages).
struct OutageStore {
  /// The name of the handlers' heartbeat.
  static let heartbeat = "handlers"

  let database: Database
  /// The maximum grace period, in s; 0 for none, nil for the length of the outage.
  let maximumGracePeriod: Int64?

  /// Records that requests are being answered, and what the time since the last beat shows: an
  /// outage that ended, or a clock change.
  func beat(now: Instant) throws {
    try database.write { writer in
      let last = try JobStore.lastBeat(Self.heartbeat, in: writer)
      let known = try known(since: min(now, last ?? now), in: writer)
      let after = Outage.known(after: known, beat: now, last: last)
      if after != known { try replace(known, by: after, in: writer) }
      if let last, last.seconds(since: now) > CheckInScan.setBack {
        // Otherwise only a scan that ran in between would show the step to the next scan.
        try JobStore.beat(CheckInScan.beginning, now: last, in: writer)
      }
      try JobStore.beat(Self.heartbeat, now: now, in: writer)
    }
  }

  /// Records a request answered in plain-CGI mode. No process sends heartbeats there, so a missing
  /// heartbeat is not an outage. Starts the grace period of a restored backup.
  func answered(now: Instant) throws {
    let (beat, waits) = try database.read { reader in
      (
        try JobStore.lastBeat(Self.heartbeat, in: reader),
        try known(since: now, in: reader).contains(where: \.waitsForFirstBeat)
      )
    }
    // The last beat of handlers that no longer run.
    let isOver = beat.map { abs(now.seconds(since: $0)) > Outage.minimumLength } ?? false
    guard waits || isOver else { return }
    try database.write { writer in
      let known = try known(since: now, in: writer)
      let after = Outage.known(after: known, beat: now, last: nil)
      if after != known { try replace(known, by: after, in: writer) }
      if isOver { try JobStore.forgetBeat(Self.heartbeat, in: writer) }
    }
  }

  /// The outages that a beat may change; `moment` is the earlier of two beats. Their grace period
  /// was not over then, or the clock was set back and had not caught up.
  private func known(since moment: Instant, in reader: ReadTransaction) throws -> [Outage] {
    try reader.rows(
      """
      SELECT began_at, ended_at, grace_until, cause FROM outages
      WHERE grace_until > \(moment) OR began_at > \(moment)
      """, make: Self.outage)
  }

  private func replace(_ known: [Outage], by after: [Outage], in writer: WriteTransaction) throws {
    for outage in known {
      try writer.execute("DELETE FROM outages WHERE began_at = \(outage.began)")
    }
    for outage in after { try Self.add(outage, maximumGracePeriod: maximumGracePeriod, in: writer) }
  }

  /// Stores an outage; its grace period is limited to the configured maximum.
  static func add(_ outage: Outage, maximumGracePeriod: Int64?, in writer: WriteTransaction) throws
  {
    let grace = outage.graceUntil.seconds(since: outage.ended)
    let until =
      outage.waitsForFirstBeat
      ? outage.graceUntil : outage.ended.adding(seconds: min(grace, maximumGracePeriod ?? grace))
    try writer.execute(
      """
      INSERT INTO outages (began_at, ended_at, grace_until, cause)
      VALUES (\(outage.began), \(outage.ended), \(until), \(outage.cause.rawValue))
      ON CONFLICT (began_at) DO UPDATE SET
        ended_at = excluded.ended_at, grace_until = excluded.grace_until, cause = excluded.cause
      """)
  }

  /// Clock changes in a restored backup belong to another machine.
  static func forgetClocks(in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM outages WHERE cause = \(Outage.Cause.clock.rawValue)")
  }

  /// Whether alerts are suspended; nil if they are not.
  ///
  /// A clock that is far from the last beat of the handlers may be wrong, or they are not running.
  /// Until they have beaten by it no alert is sent. An outage that ends in the future was recorded
  /// by a clock that has been corrected since.
  func suspension(now: Instant, in reader: ReadTransaction) throws -> AlertSuspension? {
    if maximumGracePeriod == 0 { return nil }
    if let beat = try JobStore.lastBeat(Self.heartbeat, in: reader) {
      let age = now.seconds(since: beat)
      if age > Outage.minimumLength { return AlertSuspension(until: nil, cause: .outage) }
      if age < -Outage.minimumLength { return AlertSuspension(until: nil, cause: .clock) }
    }
    let outage = try reader.first(
      """
      SELECT began_at, ended_at, grace_until, cause FROM outages
      WHERE grace_until > \(now)
        AND (ended_at <= \(now.adding(seconds: Outage.minimumLength))
          OR grace_until = \(Instant.distantFuture))
      ORDER BY grace_until DESC LIMIT 1
      """, make: Self.outage)
    return outage.map {
      AlertSuspension(until: $0.waitsForFirstBeat ? nil : $0.graceUntil, cause: $0.cause)
    }
  }

  /// Outages further back than this, in s, do not delay an alert that is waiting today.
  private static let maximumWait: Int64 = .days(366)

  /// How long each alert waits; needed only while alerts are suspended.
  func grace(now: Instant, in reader: ReadTransaction) throws -> AlertGracePeriod {
    let outages = try reader.rows(
      """
      SELECT began_at, ended_at, grace_until, cause FROM outages
      WHERE grace_until > \(now.adding(seconds: -Self.maximumWait)) ORDER BY grace_until
      """, make: Self.outage)
    return AlertGracePeriod(outages: outages)
  }

  /// The earlier time of a clock that restarted at a date long past; nil if it has caught up.
  func clockRegression(now: Instant, in reader: ReadTransaction) throws -> Instant? {
    try reader.value(
      """
      SELECT began_at FROM outages
      WHERE began_at > \(now.adding(seconds: Outage.maximumLength)) AND ended_at < began_at
      ORDER BY began_at DESC LIMIT 1
      """, as: Instant.self)
  }

  /// The moment beyond which nothing is postponed while the clock is far from the handlers' last
  /// beat.
  func distrustedUntil(now: Instant, in reader: ReadTransaction) throws -> Instant? {
    guard let beat = try JobStore.lastBeat(Self.heartbeat, in: reader),
      abs(now.seconds(since: beat)) > Outage.minimumLength
    else { return nil }
    return min(beat, now)
  }

  /// Until when mails decided before the restored backup was made are held; nil if none are. A
  /// clock far ahead of the last beat ends no grace period.
  func restoredUntil(now: Instant, in reader: ReadTransaction) throws -> Instant? {
    if maximumGracePeriod == 0 { return nil }
    let beat = try JobStore.lastBeat(Self.heartbeat, in: reader)
    return try reader.value(
      """
      SELECT grace_until FROM outages
      WHERE grace_until > \(min(now, beat ?? now)) AND cause = \(Outage.Cause.restore.rawValue)
      ORDER BY grace_until DESC LIMIT 1
      """, as: Instant.self)
  }

  private static func outage(_ row: inout RowReader) throws -> Outage {
    Outage(
      began: try row.next(), ended: try row.next(), graceUntil: try row.next(),
      cause: Outage.Cause(rawValue: try row.next()) ?? .outage)
  }
}
