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
  /// The audit log of admin actions.
  let record: any AuditLogging

  private static let columns: Query = """
    id, name, description, difficulty, cover_id, cover_extension, cover_width, cover_height,
    cover_has_webp, video_id, video_bytes, video_seconds, captions_id, captions_language,
    published_at, updated_at
    """

  // MARK: Reading

  /// Published trainings, in the order set by admins.
  public func published() throws -> [Training] {
    try database.read { reader in
      let found = try reader.rows(
        """
        SELECT \(Self.columns) FROM trainings WHERE published_at IS NOT NULL
        ORDER BY position, id LIMIT \(TrainingRules.maximumTrainings)
        """, make: Self.training)
      return try Self.withStages(found, in: reader)
    }
  }

  /// All trainings including drafts, for an admin; empty for other viewers.
  func all(for viewer: Viewer) throws -> [Training] {
    guard viewer.role >= .admin else { return [] }
    return try database.read { reader in
      let found = try Self.all(in: reader)
      return try Self.withStages(found, in: reader)
    }
  }

  /// All trainings, without their stages.
  private static func all(in reader: ReadTransaction) throws -> [Training] {
    try reader.rows(
      """
      SELECT \(columns) FROM trainings ORDER BY position, id LIMIT \(TrainingRules.maximumTrainings)
      """, make: training)
  }

  /// A training that the viewer may see; nil if absent, and for a draft if the viewer is not an
  /// admin.
  public func visible(_ id: ID<Training>, to viewer: Viewer) throws -> Training? {
    let found = try database.read { reader in
      let found = try reader.rows(
        "SELECT \(Self.columns) FROM trainings WHERE id = \(id)", make: Self.training)
      return try Self.withStages(found, in: reader).first
    }
    guard let found, found.isPublished || viewer.role >= .admin else { return nil }
    return found
  }

  /// Without its stages.
  private static func training(_ row: inout RowReader) throws -> Training {
    Training(
      id: try row.next(),
      details: TrainingDetails(
        name: try row.next(), description: try row.next(),
        difficulty: Training.Difficulty(rawValue: try row.next()) ?? .moderate, stages: []),
      cover: try cover(&row), video: try video(&row), captions: try captions(&row),
      publishedAt: try row.next(), updatedAt: try row.next())
  }

  private static func cover(_ row: inout RowReader) throws -> TrainingCover? {
    guard !row.isNextNull else {
      row.skip(5)
      return nil
    }
    return TrainingCover(
      id: try row.next(), fileExtension: try row.next(), width: try row.next(),
      height: try row.next(), hasWebP: try row.next())
  }

  private static func video(_ row: inout RowReader) throws -> TrainingVideo? {
    guard !row.isNextNull else {
      row.skip(3)
      return nil
    }
    return TrainingVideo(id: try row.next(), bytes: try row.next(), seconds: try row.next())
  }

  private static func captions(_ row: inout RowReader) throws -> TrainingCaptions? {
    let (id, language) = (try row.next(ID<TrainingFile>?.self), try row.next(String?.self))
    guard let id, let language = language.flatMap(Language.init(rawValue:)) else { return nil }
    return TrainingCaptions(id: id, language: language)
  }

  /// One query for the stages of all trainings.
  private static func withStages(
    _ trainings: [Training], in reader: ReadTransaction
  ) throws -> [Training] {
    let found = try reader.rows(
      """
      SELECT s.training_id, s.seconds, s.target, s.value, s.text
      FROM \(IDList(trainings.map(\.id))) AS i
      CROSS JOIN training_stages s ON s.training_id = i.id
      ORDER BY s.training_id, s.position
      """
    ) { (training: try $0.next(ID<Training>.self), stage: try stage(&$0)) }
    let stages = Dictionary(grouping: found, by: \.training)
    return trainings.map { training in
      var whole = training
      whole.details.stages = stages[training.id, default: []].map(\.stage)
      return whole
    }
  }

  private static func stage(_ row: inout RowReader) throws -> TrainingStage {
    let seconds = try row.next(Int.self)
    let kind = TrainingTarget.Kind(rawValue: try row.next()) ?? .free
    return TrainingStage(
      seconds: seconds, target: TrainingTarget(kind, try row.next()) ?? .free,
      text: try row.next())
  }

  // MARK: Changing

  /// Adds a draft at the end; nil if the maximum number is reached.
  func add(
    _ details: TrainingDetails, by viewer: Viewer, now: Instant
  ) throws -> ID<Training>? {
    try check(viewer)
    return try database.write { writer in
      let count = try writer.count(
        """
        SELECT count(*) FROM (SELECT 1 FROM trainings ORDER BY position, id
          LIMIT \(TrainingRules.maximumTrainings))
        """)
      guard count < TrainingRules.maximumTrainings else { return nil }
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
      VALUES (\(id), (SELECT coalesce(max(position), 0) + 1 FROM trainings), \(details.name), \(details.description), \(details.difficulty.rawValue),
        \(now), \(now))
      """)
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
        "SELECT updated_at, published_at IS NOT NULL FROM trainings WHERE id = \(id)"
      ) { (try $0.next(Instant.self), try $0.next(Bool.self)) }
      guard let (updatedAt, isPublished) = before else { throw Problem.notFound }
      guard updatedAt == version else { return .changedMeanwhile }
      guard !isPublished || !details.stages.isEmpty else { return .needsStages }
      try writer.execute(
        """
        UPDATE trainings SET name = \(details.name), description = \(details.description),
          difficulty = \(details.difficulty.rawValue),
          updated_at = max(\(now), updated_at + 1) WHERE id = \(id)
        """)
      try writer.execute("DELETE FROM training_stages WHERE training_id = \(id)")
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
        VALUES (\(id), \(place), \(stage.seconds), \(stage.target.kind.rawValue),
          \(stage.target.value), \(stage.text))
        """)
    }
  }

  /// Publishes a training; false if it has no stages.
  func publish(_ id: ID<Training>, by viewer: Viewer, now: Instant) throws -> Bool {
    try check(viewer)
    return try database.write { writer in
      let changed = try writer.execute(
        """
        UPDATE trainings SET published_at = \(now), updated_at = max(\(now), updated_at + 1)
        WHERE id = \(id) AND published_at IS NULL
          AND EXISTS (SELECT 1 FROM training_stages s WHERE s.training_id = trainings.id)
        """)
      if changed > 0 {
        try note(.publishTraining, id, by: viewer, now: now, in: writer)
        return true
      }
      // An already published training counts as success; one without stages, or a deleted one, does
      // not.
      return try writer.exists(
        "SELECT 1 FROM trainings WHERE id = \(id) AND published_at IS NOT NULL")
    }
  }

  func unpublish(_ id: ID<Training>, by viewer: Viewer, now: Instant) throws {
    try check(viewer)
    try database.write { writer in
      let changed = try writer.execute(
        """
        UPDATE trainings SET published_at = NULL, updated_at = max(\(now), updated_at + 1)
        WHERE id = \(id) AND published_at IS NOT NULL
        """)
      if changed > 0 { try note(.unpublishTraining, id, by: viewer, now: now, in: writer) }
    }
  }

  /// Swaps a training with the one before or after it; no effect at the end of the list.
  func move(_ id: ID<Training>, up: Bool, by viewer: Viewer, now: Instant) throws {
    try check(viewer)
    try database.write { writer in
      var order = try writer.values(
        """
        SELECT id FROM trainings ORDER BY position, id LIMIT \(TrainingRules.maximumTrainings)
        """, as: ID<Training>.self)
      guard let place = order.firstIndex(of: id) else { throw Problem.notFound }
      let other = up ? place - 1 : place + 1
      guard order.indices.contains(other) else { return }
      order.swapAt(place, other)
      for (position, id) in order.enumerated() {
        try writer.execute("UPDATE trainings SET position = \(position) WHERE id = \(id)")
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
      UPDATE trainings SET cover_id = \(cover?.id), cover_extension = \(cover?.fileExtension),
        cover_width = \(cover?.width),
        cover_height = \(cover?.height), cover_has_webp = \(cover?.hasWebP),
          updated_at = max(\(now), updated_at + 1) WHERE id = \(id)
      """)
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
        UPDATE trainings SET video_id = \(video?.id), video_bytes = \(video?.bytes),
          video_seconds = \(video?.seconds),
          updated_at = max(\(now), updated_at + 1) WHERE id = \(id)
        """)
      try note(.changeVideo, id, by: viewer, now: now, in: writer)
      return before
    }
  }

  static func file(
    _ column: Query, of id: ID<Training>, in writer: WriteTransaction
  ) throws -> ID<TrainingFile>? {
    let row = try writer.value(
      "SELECT \(column) FROM trainings WHERE id = \(id)", as: ID<TrainingFile>?.self)
    guard let row else { throw Problem.notFound }
    return row
  }

  func delete(_ id: ID<Training>, by viewer: Viewer, now: Instant) throws {
    try check(viewer)
    try database.write { writer in
      try note(.deleteTraining, id, by: viewer, now: now, in: writer)
      try writer.execute("DELETE FROM trainings WHERE id = \(id)")
    }
  }

  /// Records an admin's action in the audit log, with the training's current name; nothing if the
  /// training is gone.
  func note(
    _ action: AuditAction, _ id: ID<Training>, by viewer: Viewer, now: Instant,
    in writer: WriteTransaction
  ) throws {
    let name = try writer.value("SELECT name FROM trainings WHERE id = \(id)", as: String.self)
    guard let name else { return }
    try record.note(
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
    return Dictionary(
      try all(in: reader).map { ($0.id, Set(TrainingFiles.names(of: $0).keys)) },
      uniquingKeysWith: { first, _ in first })
  }
}
