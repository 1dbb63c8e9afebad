/// What a picture is for, which decides the files made of it.
public enum PictureKind: String, Sendable, CaseIterable {
  /// A picture of a post: `original`, `medium` and `thumb` (docs/developer/feed.md#pictures).
  case post
  /// The face of a person or couple: a square `original` and `thumb`, always JPEG
  /// (docs/developer/accounts.md#couple-profile).
  case avatar
  /// A photo of the album: `medium` and `thumb`; the photo itself stays as it is
  /// (docs/developer/photo-stories.md).
  case photo

  /// How big the file may be.
  var limits: PictureLimits { self == .photo ? .photo : .picture }

  /// How the files of an upload of this format end, without the dot.
  func fileExtension(for format: PictureFormat) -> String {
    switch (self, format) {
    case (.avatar, _): PictureFormat.jpeg.fileExtension
    case (_, .gif): PictureFormat.png.fileExtension
    case (_, _): format.fileExtension
    }
  }

  /// The files made of one upload.
  func files(fileExtension: String, hasWebP: Bool) -> [PictureVariant.File] {
    let variants: [PictureVariant] =
      switch self {
      case .post: [.original, .medium, .thumb]
      case .avatar: [.original, .thumb]
      case .photo: [.medium, .thumb]
      }
    let smaller: [PictureVariant] = hasWebP ? [.medium, .thumb] : []
    return variants.map { .init(variant: $0, fileExtension: fileExtension) }
      + smaller.map { .init(variant: $0, fileExtension: "webp") }
  }
}

/// One of the sizes in which a picture is kept.
public enum PictureVariant: String, Sendable, CaseIterable {
  /// Full size for posts, at most 1,024 pixels a side for avatars.
  case original
  /// At most 800 pixels wide.
  case medium
  /// A square of at most 300 pixels a side, cut from the middle.
  case thumb

  static let mediumWidth = 800
  static let thumbSide = 300
  static let avatarSide = 1_024

  struct File: Hashable, Sendable {
    /// How a name ends until the file is whole.
    static let unfinished = ".part"

    let variant: PictureVariant
    let fileExtension: String

    func name(id: String) -> String { variant.fileName(id: id, fileExtension: fileExtension) }

    /// Its name until it is whole.
    func temporaryName(id: String) -> String { ".\(name(id: id))\(Self.unfinished)" }
  }

  /// The name of a picture's file, such as `medium_{id}.webp`.
  public func fileName(id: String, fileExtension: String) -> String {
    "\(rawValue)_\(id).\(fileExtension)"
  }
}
