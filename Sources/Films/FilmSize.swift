/// Size of a stored film, in px.
struct FilmSize: Equatable {
  let width: Int
  let height: Int

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// The size of an upright film with square pixels: within `FilmLimits`, with even sides as H.264
  /// needs, and never enlarged.
  ///
  /// Throws `damaged` or `tooManyPixels`.
  init(of picture: FilmProbe.Stream) throws(FilmError) {
    guard picture.width > 0, picture.height > 0 else { throw .damaged }
    guard picture.width <= FilmLimits.pixels, picture.height <= FilmLimits.pixels,
      picture.width * picture.height <= FilmLimits.pixels
    else { throw .tooManyPixels }
    var (width, height) = (Double(picture.width) * picture.pixelAspect, Double(picture.height))
    // ffmpeg turns the picture before it is scaled.
    let quarter = Int((picture.rotation / 90).rounded())
    if !quarter.isMultiple(of: 2) { (width, height) = (height, width) }
    let scale = min(
      1, Double(FilmLimits.shortSide) / min(width, height),
      Double(FilmLimits.longSide) / max(width, height))
    self.init(width: Self.even(width * scale), height: Self.even(height * scale))
  }

  /// The nearest even number of at least 16, the smallest side that all players take.
  private static func even(_ side: Double) -> Int { max(16, Int((side / 2).rounded()) * 2) }
}
