/// How big a photo of the album may be (docs/developer/photo-stories.md#limits).
public enum PhotoLimits {
  /// 30 MiB: the kinder reading of "30 MB".
  public static let bytes = 30 * 1_048_576
  /// 100 megapixels.
  public static let pixels = 100_000_000
  /// What a JPEG can say at most; a PNG beyond it is a trick, not a photo.
  public static let side = 65_535

  /// A text, comment or packet of more bytes is not looked into.
  static let block = 1 << 20
  /// Further texts of a PNG are not looked into.
  static let texts = 64
  /// More separate pieces to keep than any program writes.
  static let pieces = 65_536

  static func check(width: Int, height: Int) throws(PhotoError) {
    guard width > 0, height > 0 else { throw .read(.damaged) }
    guard width <= side, height <= side, width * height <= pixels else {
      throw .read(.tooManyPixels)
    }
  }
}
