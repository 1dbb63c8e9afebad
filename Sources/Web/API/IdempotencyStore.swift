import Core
import Database
import HTTPTypes
import Secrets

/// Which keys were sent with which calls, and what those were answered.
public struct IdempotencyStore: Sendable {
  /// How long an answer is kept, in s (docs/api/README.md).
  static let lifetime: Int64 = .days(1)
  /// How long a call that was begun counts as running, in s: longer than the web server waits.
  static let lease: Int64 = .minutes(6)

  /// What became of a key.
  enum Claim {
    /// Nobody is at it: go on under this secret.
    case free(holder: [UInt8])
    case answered(Response)
    /// The first call runs still.
    case running
    /// The key came with another call before.
    case otherCall
    /// Its call made this and ended without an answer (the process died).
    case made(String)
    /// The same, and nobody noted what it made.
    case lost
  }

  /// A key of one person's.
  struct Key {
    let person: ID<Person>
    let hash: [UInt8]
  }

  private struct StoredCall {
    let requestHash: [UInt8]
    let state: Int
    let leaseUntil: Instant
    let createdAt: Instant
    let status: Int
    let contentType: String?
    let body: [UInt8]?
  }

  let database: Database
  let keys: KeyRing

  func claim(_ key: Key, request: [UInt8], now: Instant) throws -> Claim {
    let holder = RandomBytes.make(16)
    return try database.write { writer in
      guard let known = try known(key, in: writer),
        known.createdAt > now.adding(seconds: -Self.lifetime)
      else {
        try insert(key, request: request, holder: holder, now: now, in: writer)
        return .free(holder: holder)
      }
      guard ConstantTime.equal(known.requestHash, request) else { return .otherCall }
      if known.state == 2 { return .answered(try answer(known, key)) }
      if known.leaseUntil > now { return .running }
      if known.state == 1 { return try whatWasKept(known, key) }
      try insert(key, request: request, holder: holder, now: now, in: writer)
      return .free(holder: holder)
    }
  }

  /// Notes, in the transaction of a change, that the call has changed something, and what answers
  /// it. Throws 409 when another attempt took over meanwhile, so that this one's change is undone.
  func mark(
    _ key: Key, holder: [UInt8], _ kept: IdempotentResult.Stored?, in writer: WriteTransaction
  ) throws {
    let isOurs =
      try writer.execute(
        """
        UPDATE idempotency_keys SET state = 1
        WHERE person_id = ? AND key_hash = ? AND holder = ? AND state < 2
        """, key.person, key.hash, holder) == 1
    guard isOurs else { throw Problem(.conflict) }
    switch kept {
    case .answer(let response): try keep(key, holder, state: 1, response, in: writer)
    case .made(let text):
      try writer.execute(
        """
        UPDATE idempotency_keys SET body_sealed = ?
        WHERE person_id = ? AND key_hash = ? AND holder = ?
        """, try keys.seal(Array(text.utf8), for: context(key)), key.person, key.hash, holder)
    case nil: break
    }
  }

  private func keep(
    _ key: Key, _ holder: [UInt8], state: Int, _ response: Response, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      UPDATE idempotency_keys SET state = ?, status = ?, content_type = ?, body_sealed = ?
      WHERE person_id = ? AND key_hash = ? AND holder = ?
      """, state, response.status.code, response.headers[.contentType],
      try keys.seal(response.body, for: context(key)), key.person, key.hash, holder)
  }

  /// What a call that died left behind.
  private func whatWasKept(_ known: StoredCall, _ key: Key) throws -> Claim {
    guard let sealed = known.body else { return .lost }
    if known.status != 0 { return .answered(try answer(known, key)) }
    return .made(String(decoding: try keys.open(sealed, for: context(key)), as: UTF8.self))
  }

  /// Keeps the answer; it is sealed, since it may hold what is sealed elsewhere.
  func finish(_ key: Key, holder: [UInt8], _ response: Response) throws {
    try database.write { try keep(key, holder, state: 2, response, in: $0) }
  }

  /// Forgets a key whose call failed, so that it can be tried again; with `onlyUnchanged` one that
  /// changed something stays.
  func release(_ key: Key, holder: [UInt8], onlyUnchanged: Bool) throws {
    try database.write {
      try $0.execute(
        """
        DELETE FROM idempotency_keys
        WHERE person_id = ? AND key_hash = ? AND holder = ? AND state <= ?
        """, key.person, key.hash, holder, onlyUnchanged ? 0 : 1)
    }
  }

  /// Removes keys that are older than their lifetime.
  static func purge(now: Instant, in writer: WriteTransaction) throws {
    try writer.execute(
      "DELETE FROM idempotency_keys WHERE created_at < ?", now.adding(seconds: -lifetime))
  }

  /// Removes the keys of one person.
  public static func forget(_ person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM idempotency_keys WHERE person_id = ?", person)
  }

  /// Forgets all answers: they are sealed by keys that end.
  public static func forgetAll(in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM idempotency_keys")
  }

  private func known(_ key: Key, in writer: WriteTransaction) throws -> StoredCall? {
    try writer.first(
      """
      SELECT request_hash, state, lease_until, created_at, status, content_type, body_sealed
      FROM idempotency_keys WHERE person_id = ? AND key_hash = ?
      """, key.person, key.hash
    ) {
      StoredCall(
        requestHash: $0.bytes(0), state: $0.int(1), leaseUntil: $0.instant(2),
        createdAt: $0.instant(3), status: $0.int(4), contentType: $0.optionalText(5),
        body: $0.optionalBytes(6))
    }
  }

  private func insert(
    _ key: Key, request: [UInt8], holder: [UInt8], now: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      INSERT OR REPLACE INTO idempotency_keys
        (person_id, key_hash, request_hash, holder, state, lease_until, created_at)
      VALUES (?, ?, ?, ?, 0, ?, ?)
      """, key.person, key.hash, request, holder, now.adding(seconds: Self.lease), now)
  }

  private func answer(_ known: StoredCall, _ key: Key) throws -> Response {
    var response = Response(.init(code: known.status))
    if let type = known.contentType { response.headers[.contentType] = type }
    if let sealed = known.body { response.body = try keys.open(sealed, for: context(key)) }
    return response
  }

  private func context(_ key: Key) -> AssociatedData {
    AssociatedData(table: "idempotency_keys", row: key.person, column: Hex.text(key.hash))
  }
}
