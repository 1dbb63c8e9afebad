/// Parses a JPEG into parts and builds a new one (docs/developer/photo-stories.md#what-is-written).
enum JPEGParts {
  static let exifMark = Array("Exif\0\0".utf8)
  static let xmpMark = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
  static let photoshopMark = Array("Photoshop 3.0\0".utf8)
  private static let profileMark = Array("ICC_PROFILE\0".utf8)

  static func parse(_ bytes: [UInt8]) throws(PhotoError) -> PhotoParts {
    var parts = PhotoParts(format: .jpeg, opening: 0..<2)
    var resources: [UInt8] = []
    var hasScan = false
    let end = try JPEGSegments.walk(bytes) { segment throws(PhotoError) in
      switch segment.marker {
      case 0xC0, 0xC1, 0xC2, 0xC9, 0xCA:
        try readFrame(bytes, segment, into: &parts)
        try parts.keep(segment.whole)
      // Unsupported frame types, hierarchical files and JPEG-LS.
      case 0xC3, 0xC5...0xC8, 0xCB, 0xCD...0xCF, 0xDE, 0xDF, 0xF7, 0xF8:
        throw .format(.rareJPEG)
      case 0xDA:
        guard parts.width > 0 else { throw .read(.damaged) }
        hasScan = true
        try parts.keep(segment.whole)
        parts.pass(segment.content.upperBound..<segment.whole.upperBound)
      case 0xDB, 0xC4, 0xCC, 0xDC, 0xDD: try parts.keep(segment.whole)
      case 0xE0...0xEF, 0xFE:
        if try readApplication(bytes, segment, &resources, into: &parts) {
          try parts.keep(segment.whole)
        }
      default: break
      }
    }
    guard hasScan else { throw .read(.damaged) }
    // The end marker itself, without fill bytes before it.
    try parts.keep((end - 2)..<end)
    parts.iptc = IPTCBlock(resources: resources)
    readTrailer(bytes, from: end, into: &parts)
    return parts
  }

  private static func readFrame(
    _ bytes: [UInt8], _ segment: JPEGSegments.Segment, into parts: inout PhotoParts
  ) throws(PhotoError) {
    var cursor = ByteCursor(bytes, in: segment.content)
    guard parts.width == 0, let precision = cursor.byte(), let height = cursor.number(2),
      let width = cursor.number(2), let components = cursor.byte()
    else { throw .read(.damaged) }
    guard precision == 8 || precision == 12, height > 0 else { throw .format(.rareJPEG) }
    guard (1...4).contains(components), cursor.left == 3 * Int(components) else {
      throw .read(.damaged)
    }
    try PhotoLimits.check(width: width, height: height)
    (parts.width, parts.height) = (width, height)
  }

  /// Reads an application segment; true if the colours need it unchanged.
  private static func readApplication(
    _ bytes: [UInt8], _ segment: JPEGSegments.Segment, _ resources: inout [UInt8],
    into parts: inout PhotoParts
  ) throws(PhotoError) -> Bool {
    let content = bytes[segment.content]
    switch segment.marker {
    case 0xE0 where parts.jfif == nil && content.starts(with: "JFIF\0".utf8) && content.count >= 14:
      parts.jfif = Array(content.prefix(12)) + [0, 0]
    case 0xE1 where content.starts(with: exifMark):
      if parts.exif == nil { parts.exif = TIFFBlock(Array(content.dropFirst(exifMark.count))) }
    case 0xE1 where content.starts(with: xmpMark):
      parts.add(packet: content.dropFirst(xmpMark.count))
    case 0xE2 where content.starts(with: profileMark):
      parts.hasProfile = true
      return true
    case 0xE2 where content.starts(with: "MPF\0".utf8): parts.extras.insert(.furtherPictures)
    case 0xE2 where content.starts(with: "urn:iso:std:iso:ts:21496".utf8):
      parts.extras.insert(.gainMap)
    // Resources that don't fit into one segment continue in the next.
    case 0xED where content.starts(with: photoshopMark) && resources.count < PhotoLimits.block:
      resources += content.dropFirst(photoshopMark.count)
    case 0xEE: return content.starts(with: "Adobe".utf8) && content.count >= 12
    case 0xFE where parts.texts["Comment"] == nil:
      parts.texts["Comment"] = LegacyTextDecoding.decode(content)
    default: break
    }
    return false
  }

  /// Phones append films and further pictures after the end.
  private static func readTrailer(
    _ bytes: [UInt8], from end: Int, into parts: inout PhotoParts
  ) {
    func contains(_ mark: String) -> Bool { ByteSearch.contains(mark, in: bytes, from: end) }
    if contains("MotionPhoto_Data") || contains("ftypmp4") || contains("ftypisom")
      || contains("ftypqt")
    {
      parts.extras.insert(.motionClip)
    }
    if contains("HDRGainMap") || contains("hdrgm:Version") { parts.extras.insert(.gainMap) }
  }

  /// Bytes of the new file before the kept ones.
  static func blocks(_ story: PhotoStory?, _ parts: PhotoParts) throws(PhotoError) -> [UInt8] {
    var head: [UInt8] = []
    if let jfif = parts.jfif { head += JPEGSegments.make(0xE0, jfif) }
    if let exif = try ExifBlob.make(story, for: parts) {
      head += JPEGSegments.make(0xE1, exifMark + exif)
    }
    if let story {
      head += JPEGSegments.make(0xE1, xmpMark + XMPPacket.make(story))
      head += JPEGSegments.make(0xED, photoshopMark + IPTCBlock.resource(story))
    }
    return head
  }
}
