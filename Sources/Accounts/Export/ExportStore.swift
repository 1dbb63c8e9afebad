import Core
import Database

/// A user's data as one file: requested, being built, or ready.
struct PersonalExport {
  enum State: String, Sendable, CaseIterable {
    case waiting
    case ready
    case failed
    /// Failed before archives could be larger than 4 GiB; no longer set.
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

  static let fileName = "pairspot.zip"

  /// The folder of an export. nginx serves its contents only through a handler's internal redirect.
  static func folder(_ id: ID<PersonalExport>) -> String { "exports/\(id)" }
  static func file(_ id: ID<PersonalExport>) -> String { "\(folder(id))/\(fileName)" }

  /// Those of these files, `exports/{export}/{name}`, that no row names.
  static func unnamed(_ paths: [String], in reader: ReadTransaction) throws -> [String] {
    let files = paths.compactMap { path -> (path: String, export: ID<PersonalExport>)? in
      let parts = path.split(separator: "/")
      guard parts.count == 3, let export = ID<PersonalExport>(parts[1]) else { return nil }
      return (path, export)
    }
    let known = Set(
      try reader.values(
        "SELECT id FROM exports WHERE id IN \(IDList(Set(files.map(\.export))))",
        as: ID<PersonalExport>.self))
    return files.filter { !known.contains($0.export) }.map(\.path)
  }

  /// The latest export of a user that is still kept.
  func latest(of viewer: Viewer, now: Instant) throws -> PersonalExport? {
    try database.read { reader in
      try reader.first(
        """
        SELECT id, state, progress, bytes, requested_at, expires_at FROM exports
        WHERE user_id = \(viewer.id) AND expires_at > \(now) ORDER BY requested_at DESC LIMIT 1
        """, make: Self.export)
    }
  }

  /// A user's own export; nil for those of others.
  func find(_ id: ID<PersonalExport>, of viewer: Viewer, now: Instant) throws -> PersonalExport? {
    try database.read { reader in
      try reader.first(
        """
        SELECT id, state, progress, bytes, requested_at, expires_at FROM exports
        WHERE id = \(id) AND user_id = \(viewer.id) AND expires_at > \(now)
        """, make: Self.export)
    }
  }

  /// The export that is being built for a user.
  func waiting(of viewer: Viewer, in reader: ReadTransaction) throws -> ID<PersonalExport>? {
    try reader.value("SELECT id FROM exports WHERE user_id = \(viewer.id) AND state = 'waiting'")
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
        VALUES (\(id), \(viewer.id), 'waiting', \(now), \(now.adding(seconds: Self.lifetime)))
        ON CONFLICT (user_id) WHERE state = 'waiting' DO NOTHING
        """) == 1
    return isNew ? id : nil
  }

  /// The user of an export that is still wanted.
  func person(waitingFor id: ID<PersonalExport>) throws -> ID<Person>? {
    try database.read { reader in
      try reader.value(
        """
        SELECT e.user_id FROM exports e JOIN users u ON u.id = e.user_id
        WHERE e.id = \(id) AND e.state = 'waiting' AND u.deleted_at IS NULL
        """)
    }
  }

  /// False if the export is no longer wanted.
  func setProgress(_ percent: Int, of id: ID<PersonalExport>) throws -> Bool {
    try database.write {
      try $0.execute(
        "UPDATE exports SET progress = \(percent) WHERE id = \(id) AND state = 'waiting'") == 1
    }
  }

  /// False if the export is no longer wanted.
  func finish(
    _ id: ID<PersonalExport>, bytes: UInt64, now: Instant,
    then notify: (WriteTransaction) throws -> Void
  ) throws -> Bool {
    try database.write { writer in
      let changed = try writer.execute(
        """
        UPDATE exports SET state = 'ready', progress = 100, bytes = \(Int64(bytes)),
          expires_at = \(now.adding(seconds: Self.lifetime))
        WHERE id = \(id) AND state = 'waiting'
        """)
      guard changed == 1 else { return false }
      try notify(writer)
      return true
    }
  }

  func isReady(_ id: ID<PersonalExport>) throws -> Bool {
    try database.read {
      try $0.exists("SELECT 1 FROM exports WHERE id = \(id) AND state = 'ready'")
    }
  }

  func fail(_ id: ID<PersonalExport>, _ state: PersonalExport.State, in writer: WriteTransaction)
    throws
  {
    try writer.execute(
      "UPDATE exports SET state = \(state.rawValue) WHERE id = \(id) AND state = 'waiting'")
  }

  /// Deletes expired exports; returns their folders.
  func purge(now: Instant, in writer: WriteTransaction) throws -> [String] {
    try writer.rows("DELETE FROM exports WHERE expires_at <= \(now) RETURNING id") {
      Self.folder(try $0.next())
    }
  }

  /// Deletes a user's exports; returns their folders.
  func removeAll(of person: ID<Person>, in writer: WriteTransaction) throws -> [String] {
    try writer.rows("DELETE FROM exports WHERE user_id = \(person) RETURNING id") {
      Self.folder(try $0.next())
    }
  }

  private static func export(_ row: inout RowReader) throws -> PersonalExport {
    PersonalExport(
      id: try row.next(), state: PersonalExport.State(rawValue: try row.next()) ?? .failed,
      progress: try row.next(), bytes: try row.next(), requestedAt: try row.next(),
      expiresAt: try row.next())
  }
}
