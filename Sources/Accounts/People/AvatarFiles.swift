import Core
import Foundation
import Images
import Web

/// The files of avatars: `couples/{id}/avatar/original_{uuid}.jpg` and `thumb_`
/// (docs/developer/accounts.md#couple-profile).
struct AvatarFiles {
  /// A picture that was made and isn't anybody's yet.
  struct NewAvatar {
    let thumbPath: String
    let isCouples: Bool
  }

  private let mediaFolder: String

  init(_ mediaFolder: String) {
    self.mediaFolder = mediaFolder
  }

  func make(
    _ file: String, for couple: ID<Couple>, isCouples: Bool, _ imageProcessor: ImageProcessor
  ) throws(PictureError) -> NewAvatar {
    let folder = "couples/\(couple)/avatar"
    try PictureFiles.makeFolder("\(mediaFolder)/\(folder)")
    let picture = try imageProcessor.process(
      file: file, kind: .avatar, into: "\(mediaFolder)/\(folder)")
    let name = PictureVariant.thumb.fileName(id: picture.id, fileExtension: picture.fileExtension)
    return NewAvatar(thumbPath: "\(folder)/\(name)", isCouples: isCouples)
  }

  func remove(_ made: NewAvatar) {
    remove(thumbPath: made.thumbPath)
  }

  /// Removes both sizes of a picture that nobody has any more.
  func remove(thumbPath: String) {
    let parts = thumbPath.split(separator: "/")
    guard let name = parts.last, let id = Self.id(of: name) else { return }
    PictureFiles.remove(
      id: id, in: "\(mediaFolder)/\(parts.dropLast().joined(separator: "/"))")
  }

  /// Both sizes of a picture, below the media folder; none of no picture.
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

/// What to say of a picture that can't be taken.
public enum PictureErrorFormatter {
  /// Throws 503 when it is not the picture's fault but too many are at it, and 507 when the disk is
  /// full.
  public static func error(for problem: PictureError) throws -> FieldError {
    switch problem {
    case .busy: throw Problem.busy()
    case .diskFull: throw problem
    case .failed(let reason): throw PictureProcessingError(reason: reason)
    default: problem.avatarError
    }
  }
}

/// Something of ours went wrong while a picture was worked on.
struct PictureProcessingError: Error, CustomStringConvertible {
  let reason: String
  var description: String { "picture: \(reason)" }
}
