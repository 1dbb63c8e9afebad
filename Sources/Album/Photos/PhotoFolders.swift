import Core
import Foundation
import Images
import PhotoMetadata

/// The locations of photo files: `photos/{person}/photo_{uuid}.jpg`, and the preview images beside
/// it.
struct PhotoFolders: Sendable {
  static let root = "photos"

  let mediaFolder: String

  /// The path below the media folder.
  static func path(of folder: ID<Person>) -> String { "\(root)/\(folder)" }

  func path(of folder: ID<Person>) -> String { "\(mediaFolder)/\(Self.path(of: folder))" }

  /// Creates a folder that only the service can read, if needed, and returns its path. Throws disk
  /// errors as errors of the album.
  func make(_ folder: ID<Person>) throws(AlbumPhotoError) -> String {
    let path = path(of: folder)
    do throws(PictureError) {
      try PictureFiles.makeFolder(path)
    } catch {
      throw AlbumPhotoError(error)
    }
    return path
  }

  /// The path of the photo's own file.
  func original(_ files: PhotoFiles) -> String { "\(path(of: files.folder))/\(files.originalName)" }

  func size(of path: String) -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.size] as? Int) ?? 0
  }

  /// Removes a photo's own file; if that fails, the cleanup job removes it later.
  func removeOriginal(_ files: PhotoFiles) {
    unlink(original(files))
  }

  /// Removes all files of a photo.
  func remove(_ files: PhotoFiles) {
    removeOriginal(files)
    removePictures(files.picture, in: files.folder)
  }

  func removePictures(_ picture: ID<PhotoPicture>, in folder: ID<Person>) {
    PictureFiles.remove(id: picture.description, in: path(of: folder))
  }
}

extension PhotoFiles {
  static func originalName(_ original: ID<PhotoOriginal>, _ format: PhotoFormat) -> String {
    "photo_\(original).\(format.fileExtension)"
  }

  var originalName: String { Self.originalName(original, format) }

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
