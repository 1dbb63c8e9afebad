import Cgd
import Cturbojpeg
import Images

/// Decodes one JPEG with libjpeg-turbo: smaller than it is, or to the planes that it consists of.
/// libgd can do neither. Treats warnings as errors, like `GDDecoder`.
final class JPEGReader {
  private let handle: tjhandle
  private let bytes: [UInt8]
  /// Size of the picture in px.
  let width: Int
  let height: Int
  /// `TJSAMP_…`: how much smaller the planes of colour are.
  private let subsampling: TJSAMP
  private let colourSpace: TJCS

  /// A reader for the file whose header was parsed from the same bytes; nil for rare kinds, which
  /// libgd decodes: CMYK, and planes of unusual sizes.
  init?(_ bytes: [UInt8], as header: PictureHeader) {
    guard header.format == .jpeg, header.colour != .cmyk, let handle = tjInitDecompress() else {
      return nil
    }
    self.handle = handle
    self.bytes = bytes
    var (width, height, subsampling, colourSpace): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
    let result = tjDecompressHeader3(
      handle, bytes, UInt(bytes.count), &width, &height, &subsampling, &colourSpace)
    self.width = Int(width)
    self.height = Int(height)
    self.subsampling = TJSAMP(UInt32(max(0, subsampling)))
    self.colourSpace = TJCS(UInt32(max(0, colourSpace)))
    guard result == 0, self.width == header.width, self.height == header.height else { return nil }
  }

  deinit { tjDestroy(handle) }

  private static let flags =
    TJFLAG_ACCURATEDCT | TJFLAG_STOPONWARNING | TJFLAG_LIMITSCANS

  /// The picture divided by 2, 4 or 8, by decoding fewer coefficients of each block.
  func smaller(by divisor: Int) throws(PictureError) -> GDImage {
    let width = (self.width + divisor - 1) / divisor
    let height = (self.height + divisor - 1) / divisor
    let image = try GDImage.blank(width: width, height: height)
    // libgd keeps a pixel in 4 bytes, and on this order of bytes as blue, green, red, alpha.
    var pixels = [Int32](repeating: 0, count: width * height)
    let result = pixels.withUnsafeMutableBytes { buffer in
      tjDecompress2(
        handle, bytes, UInt(bytes.count), buffer.bindMemory(to: UInt8.self).baseAddress,
        Int32(width), 0, Int32(height), Int32(TJPF_BGRX.rawValue), Self.flags)
    }
    guard result == 0, let rows = image.pointer.pointee.tpixels else { throw .damaged }
    for y in 0..<height {
      guard let row = rows[y] else { throw .damaged }
      for x in 0..<width { row[x] = Int32(littleEndian: pixels[y * width + x]) & 0xFF_FFFF }
    }
    return image
  }

  /// The decoded planes; nil if the picture does not consist of luminance and colour differences.
  func planes() throws(PictureError) -> JPEGPlanes? {
    guard [TJCS_YCbCr, TJCS_GRAY].contains(colourSpace) else { return nil }
    let planes = JPEGPlanes(width: width, height: height, subsampling: subsampling)
    guard planes.fill(handle, from: bytes, flags: Self.flags) else { throw .damaged }
    return planes
  }
}
