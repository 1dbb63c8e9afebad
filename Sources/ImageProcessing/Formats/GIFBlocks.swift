import Images

/// The blocks of a GIF up to the end of its first frame (GIF89a specification).
enum GIFBlocks {
  /// Position of the first frame on the screen, in px.
  struct Frame: Sendable {
    let left: Int
    let top: Int
    let width: Int
    let height: Int
  }

  static func header(_ bytes: [UInt8]) throws(PictureError) -> PictureHeader {
    var reader = ByteReader(bytes)
    try reader.skip(Signature.gif89.count)
    let width = try reader.littleEndian(2)
    let height = try reader.littleEndian(2)
    try PictureLimits.check(width: width, height: height)
    let flags = try reader.byte()
    try reader.skip(2)
    try skipColours(&reader, flags)
    let isTransparent = try skipExtensions(&reader)
    let frame = try readFrame(&reader)
    guard frame.left + frame.width <= width, frame.top + frame.height <= height else {
      throw .damaged
    }
    let isWhole = frame.width == width && frame.height == height
    return PictureHeader(
      format: .gif, width: width, height: height, hasAlpha: isTransparent || !isWhole,
      frame: frame)
  }

  private static func skipColours(_ reader: inout ByteReader, _ flags: UInt8)
    throws(PictureError)
  {
    if flags & 0x80 != 0 { try reader.skip(3 << (Int(flags & 7) + 1)) }
  }

  /// Stops after the first frame's separator; returns whether it has a transparent colour.
  private static func skipExtensions(_ reader: inout ByteReader) throws(PictureError) -> Bool {
    var isTransparent = false
    while true {
      switch try reader.byte() {
      case 0x2C: return isTransparent
      case 0x21:
        let label = try reader.byte()
        // Section 23: a block of 4 bytes; the lowest bit of the first is the flag.
        if label == 0xF9, reader.starts(with: [4]), reader.left > 1 {
          isTransparent = reader.bytes[reader.position + 1] & 1 == 1
        }
        try skipBlocks(&reader)
      default: throw .damaged
      }
    }
  }

  private static func readFrame(_ reader: inout ByteReader) throws(PictureError) -> Frame {
    let frame = Frame(
      left: try reader.littleEndian(2), top: try reader.littleEndian(2),
      width: try reader.littleEndian(2), height: try reader.littleEndian(2))
    try PictureLimits.check(width: frame.width, height: frame.height)
    try skipColours(&reader, try reader.byte())
    // libgd silently accepts a truncated frame, so check that its last block exists.
    try reader.skip(1)
    try skipBlocks(&reader)
    return frame
  }

  private static func skipBlocks(_ reader: inout ByteReader) throws(PictureError) {
    while true {
      let length = Int(try reader.byte())
      if length == 0 { return }
      try reader.skip(length)
    }
  }
}
