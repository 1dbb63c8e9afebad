import Core
import Images
import Media

/// Stores the files of trainings, below `trainings/{id}/`. Names are random and
/// never reused: a new file gets a new name, the row is updated, then the old file is removed.
struct TrainingFiles: Sendable {
  static let root = "trainings"

  let media: any MediaStore
  /// The folder of the store if it is one of this machine.
  let mediaFolder: String

  private var pictures: StoredPictures { StoredPictures(media) }

  static func folder(_ training: ID<Training>) -> String { "\(root)/\(training)" }

  static func name(of video: TrainingVideo) -> String { videoName(video.id) }

  static func name(of captions: TrainingCaptions) -> String { captionsName(captions.id) }

  private static func videoName(_ id: ID<TrainingFile>) -> String { "video_\(id).mp4" }

  private static func captionsName(_ id: ID<TrainingFile>) -> String { "captions_\(id).vtt" }

  static func name(
    of cover: TrainingCover, _ variant: PictureVariant, asWebP: Bool = false
  ) -> String {
    let isWebP = asWebP && cover.hasWebP && variant != .original
    return variant.fileName(
      id: cover.id.description, fileExtension: isWebP ? "webp" : cover.fileExtension)
  }

  /// All files of a training with their content types.
  static func names(of training: Training) -> [String: String] {
    var names: [String: String] = [:]
    if let video = training.video { names[name(of: video)] = "video/mp4" }
    if let captions = training.captions {
      names[name(of: captions)] = "text/vtt; charset=utf-8"
    }
    guard let cover = training.cover else { return names }
    let type = cover.fileExtension == "jpg" ? "image/jpeg" : "image/\(cover.fileExtension)"
    for variant in PictureVariant.allCases {
      names[name(of: cover, variant)] = type
      if cover.hasWebP && variant != .original {
        names[name(of: cover, variant, asWebP: true)] = "image/webp"
      }
    }
    return names
  }

  /// The internal location from which nginx sends a file of a training.
  func location(of name: String, _ training: ID<Training>) -> String {
    media.location(of: Self.path(name, training))
  }

  private static func path(_ name: String, _ training: ID<Training>) -> String {
    "\(folder(training))/\(name)"
  }

  // MARK: Keeping

  /// Creates the sizes of an uploaded cover. Throws a `PictureError` and leaves no files behind.
  func keepCover(
    _ upload: String, of training: ID<Training>, _ imageProcessor: ImageProcessor
  ) throws(PictureError) -> TrainingCover {
    let made = try pictures.process(
      file: upload, kind: .post, into: Self.folder(training), imageProcessor)
    guard let id = ID<TrainingFile>(made.id) else { throw .failed("no identifier: \(made.id)") }
    return TrainingCover(
      id: id, fileExtension: made.fileExtension, width: made.width, height: made.height,
      hasWebP: made.hasWebP)
  }

  /// Moves an uploaded, validated file into the store. Throws a `MediaError`; the upload is then
  /// unchanged.
  func keepVideo(
    _ upload: String, of training: ID<Training>
  ) throws(MediaError) -> ID<TrainingFile> {
    let id = ID<TrainingFile>.random()
    try media.put(file: upload, as: Self.path(Self.videoName(id), training))
    return id
  }

  /// Moves validated captions, like a video.
  func keepCaptions(
    _ upload: String, of training: ID<Training>
  ) throws(MediaError) -> ID<TrainingFile> {
    let id = ID<TrainingFile>.random()
    try media.put(file: upload, as: Self.path(Self.captionsName(id), training))
    return id
  }

  // MARK: Removing

  // Files that cannot be removed are left to the cleanup job.

  func removeCover(_ id: ID<TrainingFile>, of training: ID<Training>) {
    pictures.remove(ids: [id.description], in: Self.folder(training))
  }

  func removeVideo(_ id: ID<TrainingFile>, of training: ID<Training>) {
    try? media.delete([Self.path(Self.videoName(id), training)])
  }

  func removeCaptions(_ id: ID<TrainingFile>, of training: ID<Training>) {
    try? media.delete([Self.path(Self.captionsName(id), training)])
  }

  /// Removes all files of a deleted training.
  func removeAll(of training: ID<Training>) {
    try? media.deleteAll(at: Self.folder(training))
  }
}
