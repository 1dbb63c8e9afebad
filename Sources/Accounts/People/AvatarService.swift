import Core
import Database
import Images
import Web

/// Makes pictures of couples and people from files that came, and puts them in their places.
struct AvatarService {
  let services: AccountsEnvironment

  private var files: AvatarFiles { AvatarFiles(services.mediaFolder) }

  /// Makes a picture, which is nobody's yet.
  func make(
    _ file: UploadedFile, for couple: ID<Couple>, isCouples: Bool
  ) throws(PictureError) -> AvatarFiles.NewAvatar {
    guard !file.tooLarge else { throw .tooManyBytes }
    return try files.make(file.path, for: couple, isCouples: isCouples, services.imageProcessor)
  }

  /// The couple whose folder a person's own picture goes to: every picture has a couple's path, and
  /// a lone member becomes a couple of one for it, as by a first post.
  func folder(of viewer: Viewer, now: Instant) throws -> ID<Couple> {
    try services.site.database.write {
      try services.couples.coupleForAvatar(viewer, now: now, in: $0)
    }
  }

  /// Makes the picture the viewer's own or their couple's; answers the path of the one before.
  func set(
    _ made: AvatarFiles.NewAvatar, of viewer: Viewer, _ couple: ID<Couple>,
    in writer: WriteTransaction
  ) throws -> String? {
    made.isCouples
      ? try services.couples.setAvatar(made.thumbPath, of: couple, in: writer)
      : try services.couples.setAvatar(made.thumbPath, of: viewer.id, in: writer)
  }

  /// The whole of it for one file. What fails leaves no file behind.
  func replace(
    with file: UploadedFile, of viewer: Viewer, _ couple: ID<Couple>, isCouples: Bool,
    if isStill: (WriteTransaction) throws -> Void
  ) throws {
    let made = try make(file, for: couple, isCouples: isCouples)
    do {
      let before = try services.site.database.write { writer in
        try isStill(writer)
        return try set(made, of: viewer, couple, in: writer)
      }
      if let before { files.remove(thumbPath: before) }
    } catch {
      files.remove(made)
      throw error
    }
  }
}

extension PictureError {
  /// What to say of an avatar that can't be taken.
  var avatarError: FieldError {
    switch self {
    case .tooManyBytes: FieldError("error.avatar_large")
    case .tooManyPixels: FieldError("error.avatar_pixels")
    case .unsupportedFormat: FieldError("error.image_format")
    case .damaged, .busy, .diskFull, .failed: FieldError("error.avatar_broken")
    }
  }
}
