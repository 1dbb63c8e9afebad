import Core
import Foundation
import Images

/// Stores the files of trainings, below `trainings/{id}/` in the media folder. Names are random and
/// never reused: a new file gets a new name, the row is updated, then the old file is removed.
struct TrainingFiles: Sendable {
  static let root = "trainings"

  let mediaFolder: String

  static func folder(_ training: ID<Training>) -> String { "\(root)/\(training)" }

  static func name(of video: TrainingVideo) -> String { "video_\(video.id).mp4" }

  static func name(of captions: TrainingCaptions) -> String { "captions_\(captions.id).vtt" }

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

  func path(_ training: ID<Training>) -> String { "\(mediaFolder)/\(Self.folder(training))" }

  /// Creates the sizes of an uploaded cover. Throws a `PictureError` and leaves no files behind.
  func keepCover(
    _ upload: String, of training: ID<Training>, _ imageProcessor: ImageProcessor
  ) throws(PictureError) -> TrainingCover {
    do throws(FileOperationError) {
      try makeFolder(training)
    } catch {
      throw error.isFull ? .diskFull : .failed(error.description)
    }
    let made = try imageProcessor.process(file: upload, kind: .post, into: path(training))
    guard let id = ID<TrainingFile>(made.id) else { throw .failed("no identifier: \(made.id)") }
    return TrainingCover(
      id: id, fileExtension: made.fileExtension, width: made.width, height: made.height,
      hasWebP: made.hasWebP)
  }

  /// Moves an uploaded, validated file; its bytes and name are synced to disk when this returns.
  /// Throws a `FileOperationError`; the upload is then unchanged.
  func keepVideo(
    _ upload: String, of training: ID<Training>
  ) throws(FileOperationError) -> ID<TrainingFile> {
    let id = ID<TrainingFile>.random()
    try keep(upload, as: "video_\(id).mp4", of: training)
    return id
  }

  /// Moves validated captions, like a video.
  func keepCaptions(
    _ upload: String, of training: ID<Training>
  ) throws(FileOperationError) -> ID<TrainingFile> {
    let id = ID<TrainingFile>.random()
    try keep(upload, as: "captions_\(id).vtt", of: training)
    return id
  }

  private func keep(
    _ upload: String, as name: String, of training: ID<Training>
  ) throws(FileOperationError) {
    try makeFolder(training)
    // Readable for the group, which may include the web server.
    guard chmod(upload, 0o640) == 0 else { throw FileOperationError("chmod", upload) }
    try Self.sync(upload)
    let new = "\(path(training))/\(name)"
    guard rename(upload, new) == 0 else { throw FileOperationError("rename", new) }
    try Self.sync(path(training))
  }

  func removeCover(_ id: ID<TrainingFile>, of training: ID<Training>) {
    PictureFiles.remove(id: id.description, in: path(training))
  }

  func removeVideo(_ id: ID<TrainingFile>, of training: ID<Training>) {
    // A file that cannot be removed is left to the cleanup job.
    unlink("\(path(training))/video_\(id).mp4")
  }

  func removeCaptions(_ id: ID<TrainingFile>, of training: ID<Training>) {
    // Left to the cleanup job if it fails.
    unlink("\(path(training))/captions_\(id).vtt")
  }

  /// Removes all files of a deleted training.
  func removeAll(of training: ID<Training>) {
    try? FileManager.default.removeItem(atPath: path(training))
  }

  private func makeFolder(_ training: ID<Training>) throws(FileOperationError) {
    let path = path(training)
    if FileManager.default.fileExists(atPath: path) { return }
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch let error as CocoaError where error.code == .fileWriteOutOfSpace {
      throw FileOperationError(description: "\(error)", systemError: ENOSPC)
    } catch {
      throw FileOperationError(description: "\(error)")
    }
    try Self.sync("\(mediaFolder)/\(Self.root)")
  }

  /// Syncs a file's bytes, or a folder's entries, to disk.
  private static func sync(_ path: String) throws(FileOperationError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileOperationError("open", path) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw FileOperationError("fsync", path) }
  }
}
