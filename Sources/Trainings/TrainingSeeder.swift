import Core
import Images

/// A video for a training, as files that are moved into its folder.
public struct SeedVideo: Sendable {
  let video: String
  let captions: String
  let language: Language

  /// `video` is the path of an MP4, `captions` that of a WebVTT file in a language.
  public init(video: String, captions: String, in language: Language) {
    self.video = video
    self.captions = captions
    self.language = language
  }
}

/// Publishes trainings without an admin, for demonstration data.
public struct TrainingSeeder: Sendable {
  let services: TrainingsEnvironment

  /// Publishes a training with the image file `cover`. Throws a `PictureError` for an invalid
  /// image, and a `TrainingVideoError` for an invalid video.
  public func publish(
    _ details: TrainingDetails, cover: String, video: SeedVideo? = nil, now: Instant
  ) throws {
    let id = ID<Training>(now: now)
    let files = services.files
    do {
      let cover = try files.keepCover(cover, of: id, services.imageProcessor)
      let kept = try video.map { try keep($0, of: id) }
      try services.store.publish(
        id, details, cover: cover, video: kept?.video, captions: kept?.captions, now: now)
    } catch {
      files.removeAll(of: id)
      throw error
    }
  }

  private func keep(
    _ video: SeedVideo, of id: ID<Training>
  ) throws -> (video: TrainingVideo, captions: TrainingCaptions) {
    let seconds = try TrainingVideoCheck.seconds(of: video.video)
    let bytes = try TrainingVideoCheck.bytes(of: video.video)
    return (
      TrainingVideo(
        id: try services.files.keepVideo(video.video, of: id), bytes: bytes, seconds: seconds),
      TrainingCaptions(
        id: try services.files.keepCaptions(video.captions, of: id), language: video.language)
    )
  }
}
