import Images

/// Properties of a picture's file, read without decoding it.
public struct PictureHeader: Sendable {
  /// Colour model of the samples before conversion to RGB.
  enum Colour: Sendable { case rgb, grey, cmyk }

  /// A colour profile as stored in the file.
  enum Profile: Sendable {
    case plain([UInt8])
    /// As in a PNG's `iCCP` chunk.
    case compressed([UInt8])
  }

  public let format: PictureFormat
  /// Width in px, before applying the orientation.
  public let width: Int
  /// Height in px, before applying the orientation.
  public let height: Int
  let colour: Colour
  let hasAlpha: Bool
  /// EXIF block, from the byte order mark on.
  let exif: [UInt8]?
  let profile: Profile?
  /// Position of the first frame on the screen of a GIF.
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

  /// Parses the header of a file in memory and checks the limits.
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

  /// Parses the header of a file like `identify(_:)`; also throws `failed` if the file cannot be
  /// read.
  public static func identify(file path: String) throws(PictureError) -> PictureHeader {
    try identify(PictureFile.read(path))
  }
}
