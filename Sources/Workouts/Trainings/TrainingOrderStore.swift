import Core
import Database

extension TrainingStore {
  /// Adds a published training at the end of the list.
  func publish(
    _ id: ID<Training>, _ details: TrainingDetails, cover: TrainingCover, video: TrainingVideo?,
    captions: TrainingCaptions?, now: Instant
  ) throws {
    try database.write { writer in
      try Self.insert(id, details, now: now, in: writer)
      try Self.write(cover, of: id, now: now, in: writer)
      try writer.execute(
        """
        UPDATE trainings SET published_at = ?, video_id = ?, video_bytes = ?, video_seconds = ?,
          captions_id = ?, captions_language = ? WHERE id = ?
        """, now, video?.id, video?.bytes, video?.seconds, captions?.id,
        captions?.language.rawValue, id)
    }
  }
}
