import Core
import Database

/// A user's data as one file: requested, being built, or ready.
struct PersonalExport {
  enum State: String, Sendable, CaseIterable {
    case waiting
    case ready
    case failed
    case tooLarge = "too_large"
  }

  let id: ID<PersonalExport>
  let state: State
  /// Per cent, while the export waits.
  let progress: Int
  let bytes: Int64
  let requestedAt: Instant
  let expiresAt: Instant
}

/// Exports and their progress (docs/developer/deletion-and-export.md).
struct ExportStore {
  /// How long an export is kept, in s.
  static let lifetime: Int64 = .days(7)

  let database: Database

  /// The folder of an export below the media folder. nginx serves its contents only through a
  /// handler's internal redirect.
  static func folder(_ id: ID<PersonalExport>) -> String { "exports/\(id)" }
  static func file(_ id: ID<PersonalExport>) -> String { "\(folder(id))/pairspot.zip" }

  /// The latest export of a user that is still kept.
  func latest(of viewer: Viewer, now: Instant) throws -> PersonalExport? {
    try database.read { reader in
      try reader.first(
        """
        SELECT id, state, progress, bytes, requested_at, expires_at FROM exports
        WHERE user_id = ? AND expires_at > ? ORDER BY requested_at DESC LIMIT 1
        """, viewer.id, now, make: Self.export)
    }
  }

  /// A user's own export; nil for those of others.
  func find(_ id: ID<PersonalExport>, of viewer: Viewer, now: Instant) throws -> PersonalExport? {
    try database.read { reader in
      try reader.first(
        """
        SELECT id, state, progress, bytes, requested_at, expires_at FROM exports
        WHERE id = ? AND user_id = ? AND expires_at > ?
        """, id, viewer.id, now, make: Self.export)
    }
  }

  /// The export that is being built for a user.
  func waiting(of viewer: Viewer, in reader: ReadTransaction) throws -> ID<PersonalExport>? {
    try reader.first(
      "SELECT id FROM exports WHERE user_id = ? AND state = 'waiting'", viewer.id
    ) { try $0.id(0) }
  }

  /// Adds a requested export; nil if one is being built already.
  func add(for viewer: Viewer, now: Instant, in writer: WriteTransaction) throws -> ID<
    PersonalExport
  >? {
    let id = ID<PersonalExport>.random()
    let isNew =
      try writer.execute(
        """
        INSERT INTO exports (id, user_id, state, requested_at, expires_at)
        VALUES (?, ?, 'waiting', ?, ?) ON CONFLICT (user_id) WHERE state = 'waiting' DO NOTHING
        """, id, viewer.id, now, now.adding(seconds: Self.lifetime)) == 1
    return isNew ? id : nil
  }

  /// The user of an export that is still wanted.
  func person(waitingFor id: ID<PersonalExport>) throws -> ID<Person>? {
    try database.read { reader in
      try reader.first(
        """
        SELECT e.user_id FROM exports e JOIN users u ON u.id = e.user_id
        WHERE e.id = ? AND e.state = 'waiting' AND u.deleted_at IS NULL
        """, id
      ) { try $0.id(0) }
    }
  }

  /// False if the export is no longer wanted.
  func setProgress(_ percent: Int, of id: ID<PersonalExport>) throws -> Bool {
    try database.write {
      try $0.execute(
        "UPDATE exports SET progress = ? WHERE id = ? AND state = 'waiting'", percent, id) == 1
    }
  }

  /// False if the export is no longer wanted.
  func finish(_ id: ID<PersonalExport>, bytes: UInt64, now: Instant) throws -> Bool {
    try database.write {
      try $0.execute(
        """
        UPDATE exports SET state = 'ready', progress = 100, bytes = ?, expires_at = ?
        WHERE id = ? AND state = 'waiting'
        """, Int64(bytes), now.adding(seconds: Self.lifetime), id) == 1
    }
  }

  func isReady(_ id: ID<PersonalExport>) throws -> Bool {
    try database.read {
      try $0.exists("SELECT 1 FROM exports WHERE id = ? AND state = 'ready'", id)
    }
  }

  func fail(_ id: ID<PersonalExport>, _ state: PersonalExport.State, in writer: WriteTransaction)
    throws
  {
    try writer.execute(
      "UPDATE exports SET state = ? WHERE id = ? AND state = 'waiting'", state.rawValue, id)
  }

  /// Deletes expired exports; returns their folders.
  func purge(now: Instant, in writer: WriteTransaction) throws -> [String] {
    try writer.rows("DELETE FROM exports WHERE expires_at <= ? RETURNING id", now) {
      Self.folder(try $0.id(0))
    }
  }

  /// Deletes a user's exports; returns their folders.
  func removeAll(of person: ID<Person>, in writer: WriteTransaction) throws -> [String] {
    try writer.rows("DELETE FROM exports WHERE user_id = ? RETURNING id", person) {
      Self.folder(try $0.id(0))
    }
  }

  private static func export(_ row: Row) throws -> PersonalExport {
    PersonalExport(
      id: try row.id(0), state: PersonalExport.State(rawValue: row.text(1)) ?? .failed,
      progress: row.int(2), bytes: row.integer(3), requestedAt: row.instant(4),
      expiresAt: row.instant(5))
  }
}
