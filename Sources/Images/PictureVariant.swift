/// Purpose of a picture, which determines its files.
public enum PictureKind: String, Sendable, CaseIterable {
  /// A picture of a post: `original`, `medium` and `thumb` (docs/developer/feed.md#pictures).
  case post
  /// The picture of a user or couple: a square `original` and `thumb`, always JPEG
  /// (docs/developer/accounts.md#couple-profile).
  case avatar
  /// A photo of the album: `medium` and `thumb`; the photo itself is kept unchanged
  /// (docs/developer/photo-stories.md).
  case photo
  /// A picture of a post, made of a photo of the album: its `original` is made smaller if the photo
  /// is larger than a post's picture may be (docs/developer/album.md#photos).
  case photoPost = "photo-post"
  /// The picture of a user or couple, made of a file that may be as large as a photo of the album.
  case photoAvatar = "photo-avatar"

  /// The same purpose, with the size limits of a photo of the album.
  package var large: PictureKind {
    switch self {
    case .post, .photoPost: .photoPost
    case .avatar, .photoAvatar: .photoAvatar
    case .photo: .photo
    }
  }

  /// Size limits of the upload.
  package var limits: PictureLimits { self == large ? .photo : .picture }

  /// File name extension of the results for an upload of this format, without the dot.
  package func fileExtension(for format: PictureFormat) -> String {
    switch (self, format) {
    case (.avatar, _), (.photoAvatar, _): PictureFormat.jpeg.fileExtension
    case (_, .gif): PictureFormat.png.fileExtension
    case (_, _): format.fileExtension
    }
  }

  /// The files made from one upload.
  package func files(fileExtension: String, hasWebP: Bool) -> [PictureVariant.File] {
    let variants: [PictureVariant] =
      switch self {
      case .post, .photoPost: [.original, .medium, .thumb]
      case .avatar, .photoAvatar: [.original, .thumb]
      case .photo: [.medium, .thumb]
      }
    let smaller: [PictureVariant] = hasWebP ? [.medium, .thumb] : []
    return variants.map { .init(variant: $0, fileExtension: fileExtension) }
      + smaller.map { .init(variant: $0, fileExtension: "webp") }
  }
}

/// A stored size of a picture.
public enum PictureVariant: String, Sendable, CaseIterable {
  /// Full size for posts, at most 1,024 px a side for avatars.
  case original
  /// At most 800 px wide.
  case medium
  /// A square of at most 300 px a side, cropped from the centre.
  case thumb

  package static let mediumWidth = 800
  package static let thumbSide = 300
  package static let avatarSide = 1_024

  package struct File: Hashable, Sendable {
    /// Suffix of a name until the file is complete.
    package static let unfinished = ".part"

    package let variant: PictureVariant
    package let fileExtension: String

    package init(variant: PictureVariant, fileExtension: String) {
      self.variant = variant
      self.fileExtension = fileExtension
    }

    package func name(id: String) -> String {
      variant.fileName(id: id, fileExtension: fileExtension)
    }

    /// The name until the file is complete.
    package func temporaryName(id: String) -> String { ".\(name(id: id))\(Self.unfinished)" }
  }

  /// The name of a picture's file, such as `medium_{id}.webp`.
  public func fileName(id: String, fileExtension: String) -> String {
    "\(rawValue)_\(id).\(fileExtension)"
  }
}
