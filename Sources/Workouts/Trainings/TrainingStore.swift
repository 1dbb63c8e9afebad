import Accounts
import Core
import Database
import Web

/// Stores trainings: every account reads published ones, admins read and change all.
public struct TrainingStore: Sendable {
  /// The result of saving texts and stages.
  enum Saving: Equatable {
    case saved
    /// Another admin saved since the form was shown.
    case changedMeanwhile
    /// A published training must have stages.
    case needsStages
  }

  let database: Database
  /// The audit log of admin actions; nil where nothing is changed.
  let record: (any AuditLogging)?

  private static let columns =
    """
    id, name, description, difficulty, cover_id, cover_extension, cover_width, cover_height,
    cover_has_webp, video_id, video_bytes, video_seconds, published_at, updated_at,
    captions_id, captions_language
    """

  public init(database: Database, record: (any AuditLogging)? = nil) {
    self.database = database
    self.record = record
  }

  // MARK: Reading

  /// Published trainings, in the order set by admins.
  public func published() throws -> [Training] {
    try database.read { reader in
      let found = try reader.rows(
        """
        SELECT \(Self.columns) FROM trainings WHERE published_at IS NOT NULL
        ORDER BY position, id LIMIT ?
        """, TrainingRules.trainingsMost
      ) { try Self.training($0) }
      return try Self.withStages(found, in: reader)
    }
  }

  /// All trainings including drafts, for an admin; empty for other viewers.
  func all(for viewer: Viewer) throws -> [Training] {
    guard viewer.role >= .admin else { return [] }
    return try database.read { reader in
      let found = try reader.rows(
        "SELECT \(Self.columns) FROM trainings ORDER BY position, id LIMIT ?",
        TrainingRules.trainingsMost
      ) { try Self.training($0) }
      return try Self.withStages(found, in: reader)
    }
  }

  /// A training that the viewer may see; nil if absent, and for a draft if the viewer is not an
  /// admin.
  public func visible(_ id: ID<Training>, to viewer: Viewer) throws -> Training? {
    let found = try database.read { reader in
      let found = try reader.rows("SELECT \(Self.columns) FROM trainings WHERE id = ?", id) {
        try Self.training($0)
      }
      return try Self.withStages(found, in: reader).first
    }
    guard let found, found.isPublished || viewer.role >= .admin else { return nil }
    return found
  }

  /// Without its stages.
  private static func training(_ row: Row) throws -> Training {
    let id = try row.id(0, Training.self)
    let cover = try row.optionalID(4, TrainingFile.self).map {
      TrainingCover(
        id: $0, fileExtension: row.text(5), width: row.int(6), height: row.int(7),
        hasWebP: row.flag(8))
    }
    let video = try row.optionalID(9, TrainingFile.self).map {
      TrainingVideo(id: $0, bytes: row.int(10), seconds: row.int(11))
    }
    let captions = try row.optionalID(14, TrainingFile.self).flatMap { id in
      Language(rawValue: row.text(15)).map { TrainingCaptions(id: id, language: $0) }
    }
    let details = TrainingDetails(
      name: row.text(1), description: row.text(2),
      difficulty: Training.Difficulty(rawValue: row.text(3)) ?? .moderate,
      stages: [])
    return Training(
      id: id, details: details, cover: cover, video: video, captions: captions,
      publishedAt: row.optionalInstant(12), updatedAt: row.instant(13))
  }

  /// One query for the stages of all trainings.
  private static func withStages(
    _ trainings: [Training], in reader: ReadTransaction
  ) throws -> [Training] {
    let packed = IDList(trainings.map(\.id))
    let found = try reader.rows(
      """
      SELECT s.training_id, s.seconds, s.target, s.value, s.text
      FROM json_each(?) CROSS JOIN training_stages s ON s.training_id = \(IDList.only)
      ORDER BY s.training_id, s.position
      """, packed.places, packed.bytes
    ) { (training: try $0.id(0, Training.self), stage: stage($0)) }
    let stages = Dictionary(grouping: found, by: \.training)
    return trainings.map { training in
      var whole = training
      whole.details.stages = stages[training.id, default: []].map(\.stage)
      return whole
    }
  }

  private static func stage(_ row: Row) -> TrainingStage {
    let kind = TrainingTarget.Kind(rawValue: row.text(2)) ?? .free
    return TrainingStage(
      seconds: row.int(1), target: TrainingTarget(kind, row.isNull(3) ? nil : row.int(3)) ?? .free,
      text: row.text(4))
  }

  // MARK: Changing

  /// Adds a draft at the end; nil if the maximum number is reached.
  func add(
    _ details: TrainingDetails, by viewer: Viewer, now: Instant
  ) throws -> ID<Training>? {
    try check(viewer)
    return try database.write { writer in
      let count = try writer.count(
        "SELECT count(*) FROM (SELECT 1 FROM trainings ORDER BY position, id LIMIT ?)",
        TrainingRules.trainingsMost)
      guard count < TrainingRules.trainingsMost else { return nil }
      let id = ID<Training>(now: now)
      try Self.insert(id, details, now: now, in: writer)
      try note(.addTraining, id, by: viewer, now: now, in: writer)
      return id
    }
  }

  static func insert(
    _ id: ID<Training>, _ details: TrainingDetails, now: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      INSERT INTO trainings
        (id, position, name, description, difficulty, created_at, updated_at)
      VALUES (?, (SELECT coalesce(max(position), 0) + 1 FROM trainings), ?, ?, ?, ?, ?)
      """, id, details.name, details.description, details.difficulty.rawValue, now, now)
    try write(details.stages, of: id, in: writer)
  }

  /// Saves texts and stages, unless another admin saved after `version`. Throws 404 if the training
  /// is gone.
  func save(
    _ details: TrainingDetails, of id: ID<Training>, version: Instant, by viewer: Viewer,
    now: Instant
  ) throws -> Saving {
    try check(viewer)
    return try database.write { writer in
      let before = try writer.first(
        "SELECT updated_at, published_at IS NOT NULL FROM trainings WHERE id = ?", id
      ) { ($0.instant(0), $0.flag(1)) }
      guard let (updatedAt, isPublished) = before else { throw Problem.notFound }
      guard updatedAt == version else { return .changedMeanwhile }
      guard !isPublished || !details.stages.isEmpty else { return .needsStages }
      try writer.execute(
        """
        UPDATE trainings SET name = ?, description = ?, difficulty = ?,
          updated_at = max(?, updated_at + 1) WHERE id = ?
        """, details.name, details.description, details.difficulty.rawValue, now, id)
      try writer.execute("DELETE FROM training_stages WHERE training_id = ?", id)
      try Self.write(details.stages, of: id, in: writer)
      try note(.changeTraining, id, by: viewer, now: now, in: writer)
      return .saved
    }
  }

  private static func write(
    _ stages: [TrainingStage], of id: ID<Training>, in writer: WriteTransaction
  ) throws {
    for (place, stage) in stages.enumerated() {
      try writer.execute(
        """
        INSERT INTO training_stages (training_id, position, seconds, target, value, text)
        VALUES (?, ?, ?, ?, ?, ?)
        """, id, place, stage.seconds, stage.target.kind.rawValue, stage.target.value, stage.text)
    }
  }

  /// Publishes a training; false if it has no stages.
  func publish(_ id: ID<Training>, by viewer: Viewer, now: Instant) throws -> Bool {
    try check(viewer)
    return try database.write { writer in
      let changed = try writer.execute(
        """
        UPDATE trainings SET published_at = ?, updated_at = max(?, updated_at + 1)
        WHERE id = ? AND published_at IS NULL
          AND EXISTS (SELECT 1 FROM training_stages s WHERE s.training_id = trainings.id)
        """, now, now, id)
      if changed > 0 {
        try note(.publishTraining, id, by: viewer, now: now, in: writer)
        return true
      }
      // An already published training counts as success; one without stages, or a deleted one, does
      // not.
      return try writer.exists(
        "SELECT 1 FROM trainings WHERE id = ? AND published_at IS NOT NULL", id)
    }
  }

  func unpublish(_ id: ID<Training>, by viewer: Viewer, now: Instant) throws {
    try check(viewer)
    try database.write { writer in
      let changed = try writer.execute(
        """
        UPDATE trainings SET published_at = NULL, updated_at = max(?, updated_at + 1)
        WHERE id = ? AND published_at IS NOT NULL
        """, now, id)
      if changed > 0 { try note(.unpublishTraining, id, by: viewer, now: now, in: writer) }
    }
  }

  /// Swaps a training with the one before or after it; no effect at the end of the list.
  func move(_ id: ID<Training>, up: Bool, by viewer: Viewer, now: Instant) throws {
    try check(viewer)
    try database.write { writer in
      var order = try writer.rows(
        "SELECT id FROM trainings ORDER BY position, id LIMIT ?", TrainingRules.trainingsMost
      ) { try $0.id(0, Training.self) }
      guard let place = order.firstIndex(of: id) else { throw Problem.notFound }
      let other = up ? place - 1 : place + 1
      guard order.indices.contains(other) else { return }
      order.swapAt(place, other)
      for (position, id) in order.enumerated() {
        try writer.execute("UPDATE trainings SET position = ? WHERE id = ?", position, id)
      }
      try note(.moveTraining, id, by: viewer, now: now, in: writer)
    }
  }

  /// Sets the cover files; returns the previous ones. Throws 404 if the training is gone.
  func setCover(
    _ cover: TrainingCover?, of id: ID<Training>, by viewer: Viewer, now: Instant
  ) throws -> ID<TrainingFile>? {
    try check(viewer)
    return try database.write { writer in
      let before = try Self.file("cover_id", of: id, in: writer)
      try Self.write(cover, of: id, now: now, in: writer)
      try note(.changeCover, id, by: viewer, now: now, in: writer)
      return before
    }
  }

  static func write(
    _ cover: TrainingCover?, of id: ID<Training>, now: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute(
      """
      UPDATE trainings SET cover_id = ?, cover_extension = ?, cover_width = ?,
        cover_height = ?, cover_has_webp = ?, updated_at = max(?, updated_at + 1) WHERE id = ?
      """, cover?.id, cover?.fileExtension, cover?.width, cover?.height, cover?.hasWebP, now, id)
  }

  /// Sets the video file; returns the previous one. Throws 404 if the training is gone.
  func setVideo(
    _ video: TrainingVideo?, of id: ID<Training>, by viewer: Viewer, now: Instant
  ) throws -> ID<TrainingFile>? {
    try check(viewer)
    return try database.write { writer in
      let before = try Self.file("video_id", of: id, in: writer)
      try writer.execute(
        """
        UPDATE trainings SET video_id = ?, video_bytes = ?, video_seconds = ?,
          updated_at = max(?, updated_at + 1) WHERE id = ?
        """, video?.id, video?.bytes, video?.seconds, now, id)
      try note(.changeVideo, id, by: viewer, now: now, in: writer)
      return before
    }
  }

  /// `column` is a constant, never input.
  static func file(
    _ column: StaticString, of id: ID<Training>, in writer: WriteTransaction
  ) throws -> ID<TrainingFile>? {
    let row = try writer.first("SELECT \(column) FROM trainings WHERE id = ?", id) {
      try $0.optionalID(0, TrainingFile.self)
    }
    guard let row else { throw Problem.notFound }
    return row
  }

  func delete(_ id: ID<Training>, by viewer: Viewer, now: Instant) throws {
    try check(viewer)
    try database.write { writer in
      try note(.deleteTraining, id, by: viewer, now: now, in: writer)
      try writer.execute("DELETE FROM trainings WHERE id = ?", id)
    }
  }

  /// Records an admin's action in the audit log, with the training's current name; nothing if the
  /// training is gone.
  func note(
    _ action: AuditAction, _ id: ID<Training>, by viewer: Viewer, now: Instant,
    in writer: WriteTransaction
  ) throws {
    let name = try writer.first("SELECT name FROM trainings WHERE id = ?", id) { $0.text(0) }
    guard let name else { return }
    try record?.note(
      action, to: AuditTarget(kind: "training", bytes: id.bytes), details: name, by: viewer,
      now: now, in: writer)
  }

  /// The routes admit admins only; this check holds even if a route forgets it.
  func check(_ viewer: Viewer) throws {
    guard viewer.role >= .admin else { throw Problem.notFound }
  }

  // MARK: Files

  /// The names of the files that rows refer to, by training.
  static let named = ReferencedFiles("trainings") { reader in
    let all = try files(in: reader).map { id, names in
      names.map { "\(TrainingFiles.folder(id))/\($0)" }
    }
    return Set(all.joined())
  }

  static func files(in reader: ReadTransaction) throws -> [ID<Training>: Set<String>] {
    let rows = try reader.rows(
      "SELECT \(columns) FROM trainings ORDER BY position, id LIMIT ?",
      TrainingRules.trainingsMost
    ) { try training($0) }
    return Dictionary(
      rows.map { ($0.id, Set(TrainingFiles.names(of: $0).keys)) },
      uniquingKeysWith: { first, _ in first })
  }
}
