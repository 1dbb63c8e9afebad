import Accounts
import Core
import Database
import Web

extension TrainingStore {
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
          LIMIT \(TrainingRules.maximumTrainings)) AS counted
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

  /// Those of these files, `trainings/{training}/{name}`, that no row refers to.
  static func unnamed(_ paths: [String], in reader: ReadTransaction) throws -> [String] {
    let rows = try files(in: reader)
    return paths.filter { path in
      let parts = path.split(separator: "/")
      guard parts.count == 3, let id = ID<Training>(parts[1]) else { return false }
      return rows[id]?.contains(String(parts[2])) != true
    }
  }

  static func files(in reader: ReadTransaction) throws -> [ID<Training>: Set<String>] {
    return Dictionary(
      try all(in: reader).map { ($0.id, Set(TrainingFiles.names(of: $0).keys)) },
      uniquingKeysWith: { first, _ in first })
  }
}
