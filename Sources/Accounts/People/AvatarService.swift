import Core
import Database
import Images
import Web

/// Creates avatars of couples and users from uploaded files.
struct AvatarService {
  let services: AccountsEnvironment

  private var files: AvatarFiles { AvatarFiles(services.media) }

  /// Processes an uploaded picture, which is not assigned yet.
  func make(
    _ file: UploadedFile, for couple: ID<Couple>, isCouples: Bool
  ) throws(PictureError) -> AvatarFiles.NewAvatar {
    guard !file.tooLarge else { throw .tooManyBytes }
    return try files.make(file.path, for: couple, isCouples: isCouples, services.imageProcessor)
  }

  /// The couple whose folder holds a user's own picture. Every picture has a couple's path, so a
  /// single member gets a couple of one, as with a first post.
  func folder(of viewer: Viewer, now: Instant) throws -> ID<Couple> {
    try services.site.database.write {
      try services.couples.coupleForAvatar(viewer, now: now, in: $0)
    }
  }

  /// Assigns the picture to the viewer or the couple; returns the path of the previous one.
  func set(
    _ made: AvatarFiles.NewAvatar, of viewer: Viewer, _ couple: ID<Couple>,
    in writer: WriteTransaction
  ) throws -> String? {
    made.isCouples
      ? try services.couples.setAvatar(made.thumbPath, of: couple, in: writer)
      : try services.couples.setAvatar(made.thumbPath, of: viewer.id, in: writer)
  }

  /// Processes a file and assigns it. A failure leaves no file behind.
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
      if !StorageError.mayBeStored(after: error) { files.remove(made) }
      throw error
    }
  }
}

extension PictureError {
  /// The field error for a rejected avatar.
  var avatarError: FieldError {
    switch self {
    case .tooManyBytes: FieldError("error.avatar_large")
    case .tooManyPixels: FieldError("error.avatar_pixels")
    case .unsupportedFormat: FieldError("error.image_format")
    case .damaged, .busy, .diskFull, .failed: FieldError("error.avatar_broken")
    }
  }
}
