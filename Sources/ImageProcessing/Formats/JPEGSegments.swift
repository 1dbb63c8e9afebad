import Images

/// The segments of a JPEG before its first scan (ITU-T T.81, annex B).
enum JPEGSegments {
  struct Segment {
    let marker: UInt8
    /// Marker and length included.
    let whole: Range<Int>
    /// The bytes after the length.
    let content: Range<Int>
  }

  /// Visits the segments from start of image to start of scan; returns the offset of the latter.
  static func list(_ bytes: [UInt8], visit: (Segment) throws(PictureError) -> Void)
    throws(PictureError) -> Int
  {
    var reader = ByteReader(bytes)
    try reader.skip(2)
    while true {
      let start = reader.position
      guard try reader.byte() == 0xFF else { throw .damaged }
      var marker: UInt8 = 0xFF
      while marker == 0xFF { marker = try reader.byte() }
      switch marker {
      case 0x01, 0xD0...0xD7: continue
      case 0x00, 0xD8, 0xD9: throw .damaged
      default: break
      }
      let length = try reader.bigEndian(2)
      let content = try reader.take(length - 2)
      if marker == 0xDA { return start }
      try visit(Segment(marker: marker, whole: start..<content.upperBound, content: content))
    }
  }

  static func header(_ bytes: [UInt8], _ limits: PictureLimits) throws(PictureError)
    -> PictureHeader
  {
    var frame: (width: Int, height: Int, components: Int)?
    var exif: [UInt8]?
    var parts = ProfileParts()
    _ = try list(bytes) { segment throws(PictureError) in
      let content = bytes[segment.content]
      switch segment.marker {
      case 0xC0...0xCF where ![0xC4, 0xC8, 0xCC].contains(segment.marker):
        guard frame == nil else { throw .damaged }
        frame = try readFrame(bytes, segment, limits)
      case 0xE1 where exif == nil && content.starts(with: exifMark):
        exif = Array(content.dropFirst(exifMark.count))
      case 0xE2 where content.starts(with: profileMark):
        parts.add(Array(content.dropFirst(profileMark.count)))
      default: break
      }
    }
    guard let frame else { throw .damaged }
    guard let colour = colours[frame.components] else { throw .damaged }
    return PictureHeader(
      format: .jpeg, width: frame.width, height: frame.height, colour: colour, exif: exif,
      profile: parts.whole.map { .plain($0) })
  }

  static let exifMark = Array("Exif\0\0".utf8)
  static let profileMark = Array("ICC_PROFILE\0".utf8)
  private static let colours: [Int: PictureHeader.Colour] = [1: .grey, 3: .rgb, 4: .cmyk]

  private static func readFrame(
    _ bytes: [UInt8], _ segment: Segment, _ limits: PictureLimits
  ) throws(PictureError) -> (width: Int, height: Int, components: Int) {
    var reader = ByteReader(bytes, from: segment.content.lowerBound, to: segment.content.upperBound)
    let precision = try reader.byte()
    let height = try reader.bigEndian(2)
    let width = try reader.bigEndian(2)
    let components = Int(try reader.byte())
    let common: Set<UInt8> = [0xC0, 0xC1, 0xC2, 0xC9, 0xCA]
    guard common.contains(segment.marker), precision == 8 else {
      throw .unsupportedFormat(.rareJPEG)
    }
    try limits.check(width: width, height: height)
    return (width, height, components)
  }

  /// The parts of a profile that is too large for one segment (ICC.1:2022, annex B.4).
  private struct ProfileParts {
    private var parts: [UInt8: [UInt8]] = [:]
    private var count: UInt8?
    private var broken = false

    mutating func add(_ segment: [UInt8]) {
      guard segment.count >= 2, segment[0] >= 1, segment[0] <= segment[1],
        parts[segment[0]] == nil, count == nil || count == segment[1]
      else {
        broken = true
        return
      }
      count = segment[1]
      parts[segment[0]] = Array(segment.dropFirst(2))
    }

    var whole: [UInt8]? {
      guard !broken, let count, parts.count == Int(count) else { return nil }
      return (1...count).flatMap { parts[$0] ?? [] }
    }
  }
}
