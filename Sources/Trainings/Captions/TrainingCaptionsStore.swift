import Core
import Database
import Web

extension TrainingStore {
  /// Sets the captions file; returns the previous one. Throws 404 if the training is gone.
  func setCaptions(
    _ captions: TrainingCaptions?, of id: ID<Training>, by viewer: Viewer, now: Instant
  ) throws -> ID<TrainingFile>? {
    try check(viewer)
    return try database.write { writer in
      let before = try Self.file("captions_id", of: id, in: writer)
      try writer.execute(
        """
        UPDATE trainings SET captions_id = \(captions?.id), captions_language =
          \(captions?.language.rawValue),
          updated_at = max(\(now), updated_at + 1) WHERE id = \(id)
        """)
      try note(.changeCaptions, id, by: viewer, now: now, in: writer)
      return before
    }
  }
}
