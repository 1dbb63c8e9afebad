import Accounts
import Core
import Database
import Web

/// The SQL of trainings: everybody with an account reads those that are published, admins read and
/// change all.
public struct TrainingStore: Sendable {
  /// What became of a change of words and stages.
  enum Saving: Equatable {
    case saved
    /// Somebody else saved since the form was shown.
    case changedMeanwhile
    /// A published one can't be left without stages.
    case needsStages
  }

  let database: Database
  /// Where it is written down what admins do; nil where nobody changes anything.
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

  /// What is published, in the order that admins gave it.
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

  /// All, drafts too, for an admin; nothing for anybody else.
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

  /// One that this viewer may see; nil for one that is absent, and for somebody else's draft.
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

  /// One question for the stages of all, however many they are.
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

  /// A new draft at the end; nil when there are as many as there may be.
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

  /// New words and stages, unless somebody else saved after `version`. Throws 404 when it is gone.
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

  /// Shows it to everybody; false when it has no stages, and so nothing to show.
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
      // Published already is as good; without stages, or gone, is not.
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

  /// Changes places with the one before or behind it; at the end of the list nothing happens.
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

  /// Says which files are the cover from now on; answers which were before. Throws 404 when the
  /// training is gone.
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

  /// Says which file is the video from now on; answers which was before. Throws 404 when the
  /// training is gone.
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

  /// `column` is one of ours, never from outside.
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

  /// Writes down what an admin does, with the name that the training has at that moment; nothing
  /// when it is gone.
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

  /// The routes let nobody else in; forgetting it there would still change nothing.
  func check(_ viewer: Viewer) throws {
    guard viewer.role >= .admin else { throw Problem.notFound }
  }

  // MARK: Files

  /// The names of the files that the rows speak of, by training.
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
