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
        UPDATE trainings SET published_at = \(now), video_id = \(video?.id),
          video_bytes = \(video?.bytes), video_seconds = \(video?.seconds),
          captions_id = \(captions?.id), captions_language = \(captions?.language.rawValue)
          WHERE id = \(id)
        """)
    }
  }
}
