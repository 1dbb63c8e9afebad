import Core
import Database
import HTTPTypes
import Secrets

/// Stores idempotency keys with the calls they were sent with and the responses to these.
public struct IdempotencyStore: Sendable {
  /// How long a response is kept, in s (docs/api/README.md).
  static let lifetime: Int64 = .days(1)
  /// How long a started call counts as running, in s: longer than the web server waits.
  static let lease: Int64 = .minutes(6)

  /// The state of a key when a call claims it.
  enum Claim {
    /// The key is unused: continue and use this secret as its holder.
    case free(holder: [UInt8])
    case answered(Response)
    /// The first call is still running.
    case running
    /// The key was sent before with another call.
    case otherCall
    /// The process died after the call created this and before it answered.
    case existing(String)
    /// The process died likewise, but no result was stored.
    case lost
  }

  /// A key of one person.
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
      if known.state == 1 { return try storedResult(known, key) }
      try insert(key, request: request, holder: holder, now: now, in: writer)
      return .free(holder: holder)
    }
  }

  /// Records, in the transaction of a change, that the call has changed something, and the response
  /// to a repeat. Throws 409 if another attempt has taken over, so that the change is rolled back.
  func mark(
    _ key: Key, holder: [UInt8], _ kept: IdempotentResult.Stored?, in writer: WriteTransaction
  ) throws {
    let isOurs =
      try writer.execute(
        """
        UPDATE idempotency_keys SET state = 1
        WHERE person_id = \(key.person) AND key_hash = \(key.hash) AND holder = \(holder)
          AND state < 2
        """) == 1
    guard isOurs else { throw Problem(.conflict) }
    switch kept {
    case .answer(let response): try keep(key, holder, state: 1, response, in: writer)
    case .existing(let text):
      try writer.execute(
        """
        UPDATE idempotency_keys
        SET body_sealed = \(try keys.seal(Array(text.utf8), for: context(key)))
        WHERE person_id = \(key.person) AND key_hash = \(key.hash) AND holder = \(holder)
        """)
    case nil: break
    }
  }

  private func keep(
    _ key: Key, _ holder: [UInt8], state: Int, _ response: Response, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      UPDATE idempotency_keys
      SET state = \(state), status = \(response.status.code),
        content_type = \(response.headers[.contentType]), body_sealed =
        \(try keys.seal(response.body, for: context(key)))
      WHERE person_id = \(key.person) AND key_hash = \(key.hash) AND holder = \(holder)
      """)
  }

  /// The result stored by a call whose process died.
  private func storedResult(_ known: StoredCall, _ key: Key) throws -> Claim {
    guard let sealed = known.body else { return .lost }
    if known.status != 0 { return .answered(try answer(known, key)) }
    return .existing(String(decoding: try keys.open(sealed, for: context(key)), as: UTF8.self))
  }

  /// Stores the response. It is encrypted, since it may contain data that is encrypted elsewhere.
  func finish(_ key: Key, holder: [UInt8], _ response: Response) throws {
    try database.write { try keep(key, holder, state: 2, response, in: $0) }
  }

  /// Releases the key of a call that failed, so that it can be tried again; with `onlyUnchanged`
  /// only if the call has changed nothing.
  func release(_ key: Key, holder: [UInt8], onlyUnchanged: Bool) throws {
    try database.write {
      try $0.execute(
        """
        DELETE FROM idempotency_keys
        WHERE person_id = \(key.person) AND key_hash = \(key.hash) AND holder = \(holder)
          AND state <= \(onlyUnchanged ? 0 : 1)
        """)
    }
  }

  /// Deletes keys older than their lifetime.
  static func purge(now: Instant, in writer: WriteTransaction) throws {
    try writer.execute(
      "DELETE FROM idempotency_keys WHERE created_at < \(now.adding(seconds: -lifetime))")
  }

  /// Deletes all responses: the keys that encrypt them are being replaced.
  public static func forgetAll(in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM idempotency_keys")
  }

  private func known(_ key: Key, in writer: WriteTransaction) throws -> StoredCall? {
    try writer.first(
      """
      SELECT request_hash, state, lease_until, created_at, status, content_type, body_sealed
      FROM idempotency_keys WHERE person_id = \(key.person) AND key_hash = \(key.hash)
      """
    ) {
      StoredCall(
        requestHash: try $0.next(), state: try $0.next(), leaseUntil: try $0.next(),
        createdAt: try $0.next(), status: try $0.next(), contentType: try $0.next(),
        body: try $0.next())
    }
  }

  private func insert(
    _ key: Key, request: [UInt8], holder: [UInt8], now: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      INSERT INTO idempotency_keys
        (person_id, key_hash, request_hash, holder, state, lease_until, created_at)
      VALUES (\(key.person), \(key.hash), \(request), \(holder), 0,
        \(now.adding(seconds: Self.lease)), \(now))
      ON CONFLICT (person_id, key_hash) DO UPDATE SET request_hash = excluded.request_hash,
        holder = excluded.holder, state = 0, lease_until = excluded.lease_until, status = NULL,
        content_type = NULL, body_sealed = NULL, created_at = excluded.created_at
      """)
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
