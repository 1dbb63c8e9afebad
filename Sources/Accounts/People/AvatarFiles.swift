import Core
import Foundation
import Images
import Media
import Web

/// The files of avatars: `couples/{id}/avatar/original_{uuid}.jpg` and `thumb_`
/// (docs/developer/accounts.md#couple-profile).
struct AvatarFiles {
  /// A new picture that is not yet assigned to a user or couple.
  struct NewAvatar {
    let thumbPath: String
    let isCouples: Bool
  }

  private let pictures: StoredPictures

  init(_ media: any MediaStore) {
    pictures = StoredPictures(media)
  }

  func make(
    _ file: String, for couple: ID<Couple>, isCouples: Bool, _ imageProcessor: ImageProcessor
  ) throws(PictureError) -> NewAvatar {
    let folder = "couples/\(couple)/avatar"
    let picture = try pictures.process(
      file: file, kind: .avatar, into: folder, imageProcessor)
    let name = PictureVariant.thumb.fileName(id: picture.id, fileExtension: picture.fileExtension)
    return NewAvatar(thumbPath: "\(folder)/\(name)", isCouples: isCouples)
  }

  func remove(_ made: NewAvatar) {
    remove(thumbPath: made.thumbPath)
  }

  /// Removes both sizes of an unused picture.
  func remove(thumbPath: String) {
    let parts = thumbPath.split(separator: "/")
    guard let name = parts.last, let id = Self.id(of: name) else { return }
    pictures.remove(ids: [id], in: parts.dropLast().joined(separator: "/"))
  }

  /// The paths of both sizes of a picture, below the media folder; empty for nil.
  static func paths(thumbPath: String?) -> [String] {
    guard let thumbPath else { return [] }
    return [thumbPath, originalPath(thumbPath: thumbPath)]
  }

  static func originalPath(thumbPath: String) -> String {
    thumbPath.replacingOccurrences(of: "/thumb_", with: "/original_")
  }

  private static func id(of name: Substring) -> String? {
    name.split(separator: "_").last?.split(separator: ".").first.map(String.init)
  }
}

/// Field errors for rejected pictures.
public enum PictureErrorFormatter {
  /// The field error for a rejected picture. Throws 503 if too many pictures are being processed,
  /// and 507 if the disk is full.
  public static func error(for problem: PictureError) throws -> FieldError {
    switch problem {
    case .busy: throw Problem.busy()
    case .diskFull: throw problem
    case .failed(let reason): throw PictureProcessingError(reason: reason)
    default: problem.avatarError
    }
  }
}

/// An internal error while a picture was processed.
struct PictureProcessingError: Error, CustomStringConvertible {
  let reason: String
  var description: String { "picture: \(reason)" }
}
