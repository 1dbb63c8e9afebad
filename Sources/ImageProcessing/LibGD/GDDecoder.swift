import Cgd
import Images
import Synchronization

/// Decodes whole files with libgd and treats its warnings as errors
/// (docs/developer/feed.md#pictures).
enum GDDecoder {
  /// The first picture of a file, whose header was parsed from the same bytes.
  static func decode(_ bytes: [UInt8], as header: PictureHeader) throws(PictureError) -> GDImage {
    let image =
      switch header.format {
      case .jpeg:
        try decode(bytes) { gdImageCreateFromJpegPtrEx($0, $1, 0) }
      case .png:
        try decode(PNGChunks.pixelChunks(of: bytes)) { gdImageCreateFromPngPtr($0, $1) }
      case .webp:
        try decode(Array(bytes.prefix(WebPChunks.end(of: bytes)))) {
          gdImageCreateFromWebpPtr($0, $1)
        }
      case .gif:
        try decode(bytes) { gdImageCreateFromGifPtr($0, $1) }
      }
    let frame = header.frame
    guard image.width == frame?.width ?? header.width,
      image.height == frame?.height ?? header.height
    else { throw .damaged }
    image.makeTransparentColourTransparent()
    guard let frame, frame.width != header.width || frame.height != header.height else {
      return image
    }
    return try image.placed(
      left: frame.left, top: frame.top, width: header.width, height: header.height)
  }

  private static func decode(
    _ bytes: [UInt8], by create: (Int32, UnsafeMutableRawPointer?) -> gdImagePtr?
  ) throws(PictureError) -> GDImage {
    GDWarnings.startCounting()
    var copy = bytes
    let pointer = copy.withUnsafeMutableBytes { create(Int32($0.count), $0.baseAddress) }
    let image = try GDImage(pointer)
    guard GDWarnings.count == 0 else { throw .damaged }
    return image
  }
}

/// Counts warnings of libgd.
private enum GDWarnings {
  private static let seen = Atomic<Int>(0)

  static var count: Int { seen.load(ordering: .relaxed) }

  static func startCounting() {
    seen.store(0, ordering: .relaxed)
    gdSetErrorMethod { priority, _, _ in
      // Lower values are more severe, as in syslog.
      if priority <= GD_WARNING { GDWarnings.seen.add(1, ordering: .relaxed) }
    }
  }
}

extension GDImage {
  /// A true-colour PNG may define one colour as transparent, which resampling would mix with
  /// adjacent pixels. Sets the alpha of each such pixel instead.
  fileprivate func makeTransparentColourTransparent() {
    let colour = pointer.pointee.transparent
    guard isTrueColour, colour >= 0, let rows = pointer.pointee.tpixels else { return }
    for y in 0..<height {
      guard let row = rows[y] else { continue }
      for x in 0..<width where row[x] & 0xFF_FFFF == colour & 0xFF_FFFF {
        row[x] = 127 << 24 | colour & 0xFF_FFFF
      }
    }
    gdImageColorTransparent(pointer, -1)
  }
}
