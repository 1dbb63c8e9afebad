/// Limits of uploaded films and voice notes (docs/developer/films.md).
public enum FilmLimits {
  /// Maximum size of a film's file: 128 MiB. 15 s of the largest that phones record, 4K with 60
  /// frames a second, are some 110 MB.
  public static let filmBytes = 128 << 20
  /// Maximum size of a voice note's file: 12 MiB, like a picture's. Two minutes of uncompressed
  /// sound of one channel fit.
  public static let voiceBytes = 12 << 20
  /// Maximum number of pixels of an uploaded film: 4096 × 2304, the largest 4K.
  static let pixels = 4096 * 2304
  /// Maximum short and long side of a stored film, in px.
  static let shortSide = 720
  static let longSide = 1920
}
