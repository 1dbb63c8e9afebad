/// How big an uploaded picture may be (feed.md, "Pictures").
public enum PictureLimits {
  /// 12 MiB: the kinder reading of "12 MB".
  public static let bytes = 12 * 1_048_576
  /// 50 megapixels.
  public static let pixels = 50_000_000
  /// 20 megapixels for a WebP with transparency: libwebp packs that without loss, which takes
  /// some 40 bytes a pixel, and a child has 1 GiB.
  public static let transparentWebPPixels = 20_000_000
  /// What JPEG and GIF can say at most; a PNG beyond it is a trick, not a picture.
  public static let side = 65_535

  static func check(width: Int, height: Int) throws(PictureError) {
    guard width > 0, height > 0 else { throw .damaged }
    guard width <= side, height <= side, width * height <= pixels else { throw .tooManyPixels }
  }
}
