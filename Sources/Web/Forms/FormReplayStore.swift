import Core
import Database

/// Stores the responses to forms for 30 days, so that a form sent twice is processed once: a phone
/// may have no network for so long after a response was lost (docs/developer/feed.md#sending-a-form-twice).
public struct FormReplayStore: Sendable {
  /// How long a response is kept, in s.
  public static let lifetime: Int64 = .days(30)

  public init() {}

  /// The redirect target of the same form with the same content; nil if it is new.
  public func location(
    of nonce: String, hash: [UInt8], from viewer: Viewer, in writer: WriteTransaction
  ) throws -> String? {
    try writer.value(
      """
      SELECT location FROM answers WHERE person_id = \(viewer.id) AND nonce = \(nonce)
        AND content_hash = \(hash)
      """, as: String.self)
  }

  /// Stores a response, in the transaction of the change.
  public func remember(
    _ location: String, of nonce: String, hash: [UInt8], from viewer: Viewer, now: Instant,
    in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      INSERT INTO answers (person_id, nonce, content_hash, location, created_at)
      VALUES (\(viewer.id), \(nonce), \(hash), \(location), \(now))
      """)
  }

  /// Deletes the response to a form whose result is gone, so that it is processed again.
  public func forget(
    _ nonce: String, hash: [UInt8], from viewer: Viewer, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      DELETE FROM answers WHERE person_id = \(viewer.id) AND nonce = \(nonce)
        AND content_hash = \(hash)
      """)
  }

  /// Deletes responses older than their lifetime, those of API calls too.
  public func purge(now: Instant, in database: Database) throws {
    try database.write {
      try $0.execute(
        "DELETE FROM answers WHERE created_at < \(now.adding(seconds: -Self.lifetime))")
      try IdempotencyStore.purge(now: now, in: $0)
    }
  }
}
