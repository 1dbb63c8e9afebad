import Core
import Foundation
import Images
import Media
import PhotoMetadata

/// The locations of photo files: `photos/{person}/photo_{uuid}.jpg`, and the preview images beside
/// it.
struct PhotoFolders: Sendable {
  static let root = "photos"

  let media: any MediaStore
  /// The folder of the store if it is one of this machine.
  let mediaFolder: String

  /// The path in the store.
  static func path(of folder: ID<Person>) -> String { "\(root)/\(folder)" }

  /// The size of a file of this machine, in bytes; 0 if there is none.
  func size(of path: String) -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.size] as? Int) ?? 0
  }

  /// Removes a photo's own file; if that fails, the cleanup job removes it later.
  func removeOriginal(_ files: PhotoFiles) {
    try? media.delete([files.originalPath])
  }

  /// Removes all files of a photo; those that can't be removed are left to the cleanup job.
  func remove(_ files: PhotoFiles) {
    try? media.delete(files.names.map(files.path(of:)))
  }
}

extension PhotoFiles {
  static func originalName(_ original: ID<PhotoOriginal>, _ format: PhotoFormat) -> String {
    "photo_\(original).\(format.fileExtension)"
  }

  var originalName: String { Self.originalName(original, format) }

  /// The path of the photo's own file in the store.
  var originalPath: String { path(of: originalName) }

  func path(of name: String) -> String { "\(PhotoFolders.path(of: folder))/\(name)" }

  func pictureName(_ variant: PictureVariant, asWebP: Bool = false) -> String {
    variant.fileName(
      id: picture.description, fileExtension: asWebP ? "webp" : pictureExtension)
  }

  /// The names of the preview images.
  var pictureNames: [String] {
    let plain = [PictureVariant.medium, .thumb]
    return plain.map { pictureName($0) }
      + (hasWebP ? plain.map { pictureName($0, asWebP: true) } : [])
  }

  /// The names of all files of the photo.
  var names: [String] { [originalName] + pictureNames }
}
