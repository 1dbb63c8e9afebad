import Core
import Foundation
import Images

/// The files of trainings, below `trainings/{id}/` in the media folder. Names are random and never
/// used twice: a new file has a new name, the row is switched, the old file goes after that.
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

  /// Every file that a training has, with its content type.
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

  /// Makes the sizes of an uploaded cover. Throws a `PictureError`, with nothing left behind.
  func keepCover(
    _ upload: String, of training: ID<Training>, _ imageProcessor: ImageProcessor
  ) throws(PictureError) -> TrainingCover {
    do throws(TrainingFileError) {
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

  /// Takes an uploaded file that was looked at, bytes and name on the disk itself when this
  /// returns. Throws a `TrainingFileError`; the upload is then where it was.
  func keepVideo(
    _ upload: String, of training: ID<Training>
  ) throws(TrainingFileError) -> ID<TrainingFile> {
    let id = ID<TrainingFile>.random()
    try keep(upload, as: "video_\(id).mp4", of: training)
    return id
  }

  /// Takes captions that were looked at, like a video.
  func keepCaptions(
    _ upload: String, of training: ID<Training>
  ) throws(TrainingFileError) -> ID<TrainingFile> {
    let id = ID<TrainingFile>.random()
    try keep(upload, as: "captions_\(id).vtt", of: training)
    return id
  }

  private func keep(
    _ upload: String, as name: String, of training: ID<Training>
  ) throws(TrainingFileError) {
    try makeFolder(training)
    // Readable for the group, which the web server may be in.
    guard chmod(upload, 0o640) == 0 else { throw TrainingFileError("chmod", upload) }
    try Self.sync(upload)
    let new = "\(path(training))/\(name)"
    guard rename(upload, new) == 0 else { throw TrainingFileError("rename", new) }
    try Self.sync(path(training))
  }

  func removeCover(_ id: ID<TrainingFile>, of training: ID<Training>) {
    PictureFiles.remove(id: id.description, in: path(training))
  }

  func removeVideo(_ id: ID<TrainingFile>, of training: ID<Training>) {
    // One that stays is a leftover, which the worker takes away.
    unlink("\(path(training))/video_\(id).mp4")
  }

  func removeCaptions(_ id: ID<TrainingFile>, of training: ID<Training>) {
    // A leftover too, if it stays.
    unlink("\(path(training))/captions_\(id).vtt")
  }

  /// Removes all files of a training that is gone.
  func removeAll(of training: ID<Training>) {
    try? FileManager.default.removeItem(atPath: path(training))
  }

  private func makeFolder(_ training: ID<Training>) throws(TrainingFileError) {
    let path = path(training)
    if FileManager.default.fileExists(atPath: path) { return }
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch let error as CocoaError where error.code == .fileWriteOutOfSpace {
      throw TrainingFileError(description: "\(error)", systemError: ENOSPC)
    } catch {
      throw TrainingFileError(description: "\(error)")
    }
    try Self.sync("\(mediaFolder)/\(Self.root)")
  }

  /// Brings a file's bytes, or a folder's names, to the disk itself.
  private static func sync(_ path: String) throws(TrainingFileError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw TrainingFileError("open", path) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw TrainingFileError("fsync", path) }
  }
}

/// The disk refused a file of a training.
struct TrainingFileError: DiskError, CustomStringConvertible {
  let description: String
  let systemError: Int32

  init(description: String, systemError: Int32 = 0) {
    self.description = description
    self.systemError = systemError
  }

  /// With the reason that the system gave just now.
  init(_ call: String, _ path: String) {
    systemError = errno
    description = "\(call) \(path): \(String(cString: strerror(systemError)))"
  }
}
