import Core

/// A parsed file name of a picture, such as "medium_{uuid}.webp".
public struct PictureName: Sendable {
  public let variant: PictureVariant
  public let id: ID<PictureFiles.Name>
  public let fileExtension: String

  /// Nil for any other name.
  public init?(_ file: String) {
    let parts = file.split(separator: "_", omittingEmptySubsequences: false)
    guard parts.count == 2, let variant = PictureVariant(rawValue: String(parts[0])) else {
      return nil
    }
    let rest = parts[1].split(separator: ".", omittingEmptySubsequences: false)
    guard rest.count == 2, let id = ID<PictureFiles.Name>(rest[0]) else { return nil }
    self.variant = variant
    self.id = id
    fileExtension = String(rest[1])
  }

  /// Whether a picture with this extension has a file of this name.
  public func fits(fileExtension: String, hasWebP: Bool) -> Bool {
    self.fileExtension == fileExtension
      || (self.fileExtension == "webp" && hasWebP && variant != .original)
  }

  public var contentType: String { Self.contentType(fileExtension) }

  /// The media type of a picture's file.
  public static func contentType(_ fileExtension: String) -> String {
    fileExtension == "jpg" ? "image/jpeg" : "image/\(fileExtension)"
  }
}
