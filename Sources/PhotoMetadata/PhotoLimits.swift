/// Size limits of photos in the album (docs/developer/photo-stories.md#limits).
public enum PhotoLimits {
  /// 30 MiB: the generous reading of "30 MB".
  public static let bytes = 30 * 1_048_576
  /// 100 megapixels.
  public static let pixels = 100_000_000
  /// The maximum of JPEG; a larger PNG is an attack, not a photo.
  public static let side = 65_535

  /// Longer texts, comments or packets (in bytes) are not parsed.
  static let block = 1 << 20
  /// Maximum number of texts parsed in a PNG.
  static let texts = 64
  /// Maximum number of separate ranges to keep; more than any program writes.
  static let pieces = 65_536

  static func check(width: Int, height: Int) throws(PhotoError) {
    guard width > 0, height > 0 else { throw .read(.damaged) }
    guard width <= side, height <= side, width * height <= pixels else {
      throw .read(.tooManyPixels)
    }
  }
}
