/// Size limits of uploaded pictures.
public struct PictureLimits: Sendable {
  /// Maximum file size.
  public let bytes: Int
  public let pixels: Int

  /// docs/developer/feed.md#pictures: 12 MiB, the generous reading of "12 MB", and 50 megapixels.
  public static let picture = PictureLimits(bytes: 12 * 1_048_576, pixels: 50_000_000)
  /// docs/developer/photo-stories.md#limits: 30 MiB and 100 megapixels.
  public static let photo = PictureLimits(bytes: 30 * 1_048_576, pixels: 100_000_000)

  /// Maximum file size of a post's picture.
  public static let bytes = picture.bytes
  /// Maximum number of pixels of a post's picture.
  public static let pixels = picture.pixels
  /// 20 megapixels for a WebP with transparency: libwebp encodes it losslessly, which takes some 40
  /// bytes a pixel, and a child has 1 GiB.
  public static let transparentWebPPixels = 20_000_000
  /// The maximum of JPEG and GIF; a larger PNG is an attack, not a picture.
  public static let side = 65_535

  package static func check(width: Int, height: Int) throws(PictureError) {
    try picture.check(width: width, height: height)
  }

  package func check(width: Int, height: Int) throws(PictureError) {
    guard width > 0, height > 0 else { throw .damaged }
    guard width <= Self.side, height <= Self.side, width * height <= pixels else {
      throw .tooManyPixels
    }
  }
}
