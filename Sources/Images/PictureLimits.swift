/// How big an uploaded picture may be.
public struct PictureLimits: Sendable {
  /// Of one file.
  public let bytes: Int
  public let pixels: Int

  /// docs/developer/feed.md#pictures: 12 MiB, the kinder reading of "12 MB", and 50 megapixels.
  public static let picture = PictureLimits(bytes: 12 * 1_048_576, pixels: 50_000_000)
  /// docs/developer/photo-stories.md#limits: 30 MiB and 100 megapixels.
  public static let photo = PictureLimits(bytes: 30 * 1_048_576, pixels: 100_000_000)

  /// Of a picture of a post.
  public static let bytes = picture.bytes
  /// Of a picture of a post.
  public static let pixels = picture.pixels
  /// 20 megapixels for a WebP with transparency: libwebp packs that without loss, which takes
  /// some 40 bytes a pixel, and a child has 1 GiB.
  public static let transparentWebPPixels = 20_000_000
  /// What JPEG and GIF can say at most; a PNG beyond it is a trick, not a picture.
  public static let side = 65_535

  static func check(width: Int, height: Int) throws(PictureError) {
    try picture.check(width: width, height: height)
  }

  func check(width: Int, height: Int) throws(PictureError) {
    guard width > 0, height > 0 else { throw .damaged }
    guard width <= Self.side, height <= Self.side, width * height <= pixels else {
      throw .tooManyPixels
    }
  }
}
