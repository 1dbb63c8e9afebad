import Images

/// The chunks of a WebP (RFC 9649, section 2).
enum WebPChunks {
  struct Chunk {
    let type: String
    /// Type, length and padding included.
    let whole: Range<Int>
    let content: Range<Int>
  }

  /// End offset of the picture; later bytes don't belong to it.
  static func end(of bytes: [UInt8]) throws(PictureError) -> Int {
    var reader = ByteReader(bytes, from: 4)
    let size = try reader.littleEndian(4)
    guard size >= 12, size <= bytes.count - 8 else { throw .damaged }
    return 8 + size
  }

  static func list(_ bytes: [UInt8], visit: (Chunk) throws(PictureError) -> Void)
    throws(PictureError)
  {
    var reader = ByteReader(bytes, from: 12, to: try end(of: bytes))
    while reader.left > 0 {
      let start = reader.position
      let type = String(decoding: bytes[try reader.take(4)], as: UTF8.self)
      let length = try reader.littleEndian(4)
      let content = try reader.take(length)
      if length % 2 == 1, reader.left > 0 { try reader.skip(1) }
      try visit(Chunk(type: type, whole: start..<reader.position, content: content))
    }
  }

  static func header(_ bytes: [UInt8]) throws(PictureError) -> PictureHeader {
    var canvas: Size?
    var stream: Size?
    var exif: [UInt8]?
    var profile: [UInt8]?
    var hasAlpha = false
    var isFirst = true
    try list(bytes) { chunk throws(PictureError) in
      defer { isFirst = false }
      switch chunk.type {
      case "VP8X" where isFirst: canvas = try extended(bytes, chunk)
      case "VP8 " where stream == nil: stream = try lossy(bytes, chunk)
      case "VP8L" where stream == nil:
        stream = try lossless(bytes, chunk)
        hasAlpha = hasAlpha || stream?.hasAlpha == true
      case "VP8X", "VP8 ", "VP8L": throw .damaged
      case "ANIM", "ANMF": throw .unsupportedFormat(.animatedWebP)
      case "ALPH": hasAlpha = true
      case "EXIF" where exif == nil: exif = withoutMark(bytes[chunk.content])
      case "ICCP" where profile == nil: profile = Array(bytes[chunk.content])
      default: break
      }
    }
    guard let stream else { throw .damaged }
    if let canvas, canvas.width != stream.width || canvas.height != stream.height {
      throw .damaged
    }
    if hasAlpha, stream.width * stream.height > PictureLimits.transparentWebPPixels {
      throw .tooManyPixels
    }
    return PictureHeader(
      format: .webp, width: stream.width, height: stream.height, hasAlpha: hasAlpha, exif: exif,
      profile: profile.map { .plain($0) })
  }

  private struct Size {
    let width: Int
    let height: Int
    var hasAlpha = false

    func checked() throws(PictureError) -> Size {
      try PictureLimits.check(width: width, height: height)
      return self
    }
  }

  /// Section 2.7.1: flags, then width and height minus one in 24 bits each.
  private static func extended(_ bytes: [UInt8], _ chunk: Chunk) throws(PictureError) -> Size {
    var reader = ByteReader(bytes, from: chunk.content.lowerBound, to: chunk.content.upperBound)
    let flags = try reader.byte()
    if flags & 0x02 != 0 { throw .unsupportedFormat(.animatedWebP) }
    try reader.skip(3)
    return try Size(width: reader.littleEndian(3) + 1, height: reader.littleEndian(3) + 1)
      .checked()
  }

  /// RFC 6386, section 9.1: a key frame's tag, its start code, 14 bits per side.
  private static func lossy(_ bytes: [UInt8], _ chunk: Chunk) throws(PictureError) -> Size {
    var reader = ByteReader(bytes, from: chunk.content.lowerBound, to: chunk.content.upperBound)
    guard try reader.littleEndian(3) & 1 == 0, try reader.bigEndian(3) == 0x9D012A else {
      throw .damaged
    }
    return try Size(
      width: reader.littleEndian(2) & 0x3FFF, height: reader.littleEndian(2) & 0x3FFF
    ).checked()
  }

  /// RFC 9649, section 3.4: a signature byte, 14 bits per side minus one, a flag for alpha.
  private static func lossless(_ bytes: [UInt8], _ chunk: Chunk) throws(PictureError) -> Size {
    var reader = ByteReader(bytes, from: chunk.content.lowerBound, to: chunk.content.upperBound)
    guard try reader.byte() == 0x2F else { throw .damaged }
    let bits = try reader.littleEndian(4)
    return try Size(
      width: bits & 0x3FFF + 1, height: bits >> 14 & 0x3FFF + 1, hasAlpha: bits >> 28 & 1 == 1
    ).checked()
  }

  /// Some writers put the JPEG prefix before the block, against section 2.7.1.5.
  private static func withoutMark(_ exif: ArraySlice<UInt8>) -> [UInt8] {
    let mark = JPEGSegments.exifMark
    return Array(exif.starts(with: mark) ? exif.dropFirst(mark.count) : exif)
  }
}
