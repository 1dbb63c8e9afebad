import Core
import Foundation
import Images
import PhotoMetadata

/// Where the files of photos lie: `photos/{person}/photo_{uuid}.jpg`, and beside it the pictures
/// that pages show of it.
struct PhotoFolders: Sendable {
  static let root = "photos"

  let mediaFolder: String

  /// Below the media folder.
  static func path(of folder: ID<Person>) -> String { "\(root)/\(folder)" }

  func path(of folder: ID<Person>) -> String { "\(mediaFolder)/\(Self.path(of: folder))" }

  /// The path of a folder, which is there from now on, for nobody else to look into. Throws what a
  /// full disk or a folder that can't be made is called in the album.
  func make(_ folder: ID<Person>) throws(AlbumPhotoError) -> String {
    let path = path(of: folder)
    do throws(PictureError) {
      try PictureFiles.makeFolder(path)
    } catch {
      throw AlbumPhotoError(error)
    }
    return path
  }

  /// The photo's own file, on the disk.
  func original(_ files: PhotoFiles) -> String { "\(path(of: files.folder))/\(files.originalName)" }

  func size(of path: String) -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.size] as? Int) ?? 0
  }

  /// Removes a photo's own file; what stays goes with the next round of the job.
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

  /// The pictures that pages show.
  var pictureNames: [String] {
    let plain = [PictureVariant.medium, .thumb]
    return plain.map { pictureName($0) }
      + (hasWebP ? plain.map { pictureName($0, asWebP: true) } : [])
  }

  /// Every file of the photo.
  var names: [String] { [originalName] + pictureNames }
}
