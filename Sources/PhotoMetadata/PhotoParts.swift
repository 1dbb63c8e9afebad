/// The parts of a photo's file, as ranges of its bytes; only small blocks are copied.
struct PhotoParts {
  let format: PhotoFormat
  var width = 0
  var height = 0
  /// The fixed beginning of the format: a JPEG's marker; a PNG's signature and header.
  let opening: Range<Int>
  /// Ranges kept unchanged after it, in order; adjacent ones are merged.
  private(set) var core: [Range<Int>] = []
  /// Ranges of the core with pixel data only, in order; small ones are left out.
  private(set) var bulk: [Range<Int>] = []
  /// Content of the `JFIF` segment without a thumbnail.
  var jfif: [UInt8]?
  var hasProfile = false
  /// EXIF from the byte order mark on.
  var exif: TIFFBlock?
  var iptc: IPTCBlock?
  /// XMP packets, the first few.
  var packets: [XMPPacket] = []
  /// Texts of a PNG, or a JPEG's comment, by keyword.
  var texts: [String: String] = [:]
  /// Number of parsed texts: each can expand to `PhotoLimits.block`.
  var textsRead = 0
  var extras: Set<PhotoExtra> = []

  init(format: PhotoFormat, opening: Range<Int>) {
    self.format = format
    self.opening = opening
  }

  mutating func keep(_ range: Range<Int>) throws(PhotoError) {
    if let last = core.last, last.upperBound == range.lowerBound {
      core[core.count - 1] = last.lowerBound..<range.upperBound
    } else {
      guard core.count < PhotoLimits.pieces else { throw .read(.damaged) }
      core.append(range)
    }
  }

  /// Records that a kept range has pixel data only.
  mutating func pass(_ range: Range<Int>) {
    // Thousands of small ranges would take more memory than they save.
    if range.count >= 4096 { bulk.append(range) }
  }

  mutating func add(packet bytes: ArraySlice<UInt8>) {
    guard packets.count < 4, let packet = XMPPacket(bytes) else { return }
    packets.append(packet)
    if packet.mentionsGainMap { extras.insert(.gainMap) }
    if packet.mentionsMotion { extras.insert(.motionClip) }
  }

  static func parse(_ bytes: [UInt8]) throws(PhotoError) -> PhotoParts {
    switch try PhotoFormat.recognise(bytes) {
    case .jpeg: try JPEGParts.parse(bytes)
    case .png: try PNGParts.parse(bytes)
    }
  }

  var properties: PhotoProperties {
    PhotoProperties(
      format: format, width: width, height: height, orientation: exif?.orientation ?? 1,
      extras: extras)
  }

  var reading: PhotoReading {
    let texts = StorySelection(self)
    return PhotoReading(
      properties: properties, story: texts.story, otherStory: texts.otherStory,
      caption: texts.caption,
      taken: exif?.taken)
  }
}
