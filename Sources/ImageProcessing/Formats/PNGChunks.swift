import Images

/// The chunks of a PNG (PNG specification, third edition, sections 5 and 11).
enum PNGChunks {
  struct Chunk {
    let type: String
    /// Length, type and checksum included.
    let whole: Range<Int>
    let content: Range<Int>
  }

  static func list(_ bytes: [UInt8], visit: (Chunk) throws(PictureError) -> Void)
    throws(PictureError)
  {
    var reader = ByteReader(bytes)
    try reader.skip(Signature.png.count)
    while true {
      let start = reader.position
      let length = try reader.bigEndian(4)
      let type = String(decoding: bytes[try reader.take(4)], as: UTF8.self)
      let content = try reader.take(length)
      try reader.skip(4)
      try visit(Chunk(type: type, whole: start..<reader.position, content: content))
      if type == "IEND" { return }
    }
  }

  static func header(_ bytes: [UInt8], _ limits: PictureLimits) throws(PictureError)
    -> PictureHeader
  {
    var screen: (width: Int, height: Int, type: UInt8)?
    var exif: [UInt8]?
    var profile: [UInt8]?
    var hasData = false
    var isTransparent = false
    try list(bytes) { chunk throws(PictureError) in
      if screen == nil {
        screen = try readFirst(bytes, chunk, limits)
        return
      }
      switch chunk.type {
      case "IDAT": hasData = true
      case "tRNS": isTransparent = true
      case "iCCP" where profile == nil && !hasData: profile = compressedProfile(bytes, chunk)
      case "eXIf" where exif == nil: exif = Array(bytes[chunk.content])
      case "IHDR": throw .damaged
      default: break
      }
    }
    guard let screen, hasData else { throw .damaged }
    let isGrey = screen.type == 0 || screen.type == 4
    return PictureHeader(
      format: .png, width: screen.width, height: screen.height, colour: isGrey ? .grey : .rgb,
      hasAlpha: isTransparent || screen.type == 4 || screen.type == 6, exif: exif,
      profile: profile.map { .compressed($0) })
  }

  private static func readFirst(
    _ bytes: [UInt8], _ chunk: Chunk, _ limits: PictureLimits
  ) throws(PictureError) -> (width: Int, height: Int, type: UInt8) {
    if chunk.type == "CgBI" { throw .unsupportedFormat(.appleOnlyPNG) }
    guard chunk.type == "IHDR", chunk.content.count == 13 else { throw .damaged }
    var reader = ByteReader(bytes, from: chunk.content.lowerBound)
    let width = try reader.bigEndian(4)
    let height = try reader.bigEndian(4)
    try reader.skip(1)
    let type = try reader.byte()
    guard [0, 2, 3, 4, 6].contains(type) else { throw .damaged }
    try limits.check(width: width, height: height)
    return (width, height, type)
  }

  /// Section 11.3.2.3: a name of 1 to 79 bytes, a zero, the method (zero), then the profile.
  private static func compressedProfile(_ bytes: [UInt8], _ chunk: Chunk) -> [UInt8]? {
    let content = bytes[chunk.content]
    guard let zero = content.prefix(80).firstIndex(of: 0), content.endIndex - zero > 2,
      content[zero + 1] == 0
    else { return nil }
    return Array(content[(zero + 2)...])
  }

  /// The same picture with only the chunks needed for its pixels, so that libpng need not parse
  /// (and warn about) the rest.
  static func pixelChunks(of bytes: [UInt8]) throws(PictureError) -> [UInt8] {
    var kept = Signature.png
    kept.reserveCapacity(bytes.count)
    try list(bytes) { chunk throws(PictureError) in
      if ["IHDR", "PLTE", "tRNS", "IDAT", "IEND"].contains(chunk.type) {
        kept += bytes[chunk.whole]
      }
    }
    return kept
  }
}
