/// What a picture's file says of itself, read without decoding it.
public struct PictureHeader: Sendable {
  /// What the samples mean before they become red, green and blue.
  enum Colour: Sendable { case rgb, grey, cmyk }

  /// A colour profile as it lies in the file.
  enum Profile: Sendable {
    case plain([UInt8])
    /// As in a PNG's `iCCP` chunk.
    case compressed([UInt8])
  }

  public let format: PictureFormat
  /// Pixels, before an orientation turns the picture.
  public let width: Int
  /// Pixels, before an orientation turns the picture.
  public let height: Int
  let colour: Colour
  let hasAlpha: Bool
  /// A block of EXIF, from the byte order mark on.
  let exif: [UInt8]?
  let profile: Profile?
  /// Where the first frame lies on the screen of a GIF.
  let frame: GIFBlocks.Frame?

  init(
    format: PictureFormat, width: Int, height: Int, colour: Colour = .rgb, hasAlpha: Bool = false,
    exif: [UInt8]? = nil, profile: Profile? = nil, frame: GIFBlocks.Frame? = nil
  ) {
    self.format = format
    self.width = width
    self.height = height
    self.colour = colour
    self.hasAlpha = hasAlpha
    self.exif = exif
    self.profile = profile
    self.frame = frame
  }

  /// Reads the header of a whole file in memory and holds it to limits.
  ///
  /// Throws `unsupportedFormat`, `damaged`, `tooManyBytes` or `tooManyPixels`.
  public static func identify(_ bytes: [UInt8], limits: PictureLimits = .picture)
    throws(PictureError) -> PictureHeader
  {
    guard bytes.count <= limits.bytes else { throw .tooManyBytes }
    switch try PictureFormat.recognise(bytes) {
    case .jpeg: return try JPEGSegments.header(bytes, limits)
    case .png: return try PNGChunks.header(bytes, limits)
    case .webp: return try WebPChunks.header(bytes)
    case .gif: return try GIFBlocks.header(bytes)
    }
  }

  /// Reads the header of a file as `identify(_:)` does; also throws `failed` when the file cannot
  /// be read.
  public static func identify(file path: String) throws(PictureError) -> PictureHeader {
    try identify(PictureFile.read(path))
  }
}
