/// What a photo's file consists of, as places in its bytes; nothing is copied but small blocks.
struct PhotoParts {
  let format: PhotoFormat
  var width = 0
  var height = 0
  /// What every file of this format begins with: a JPEG's mark; a PNG's mark and header.
  let opening: Range<Int>
  /// What is kept unchanged behind it, in order; neighbours are one range.
  private(set) var core: [Range<Int>] = []
  /// Places in the core that tell nothing but pixels, in order: those that are worth a mention.
  private(set) var bulk: [Range<Int>] = []
  /// The `JFIF` segment's content without a thumbnail.
  var jfif: [UInt8]?
  var hasProfile = false
  /// EXIF from its byte order mark on.
  var exif: TIFFBlock?
  var iptc: IPTCBlock?
  /// XMP packets, the first few.
  var packets: [XMPPacket] = []
  /// Texts of a PNG, or a JPEG's comment, by keyword.
  var texts: [String: String] = [:]
  /// Texts that were looked into: each can unpack to `PhotoLimits.block`.
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

  /// Says that a range which is kept tells nothing but pixels.
  mutating func pass(_ range: Range<Int>) {
    // Otherwise thousands of small ones would take more room than they save.
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

  var facts: PhotoProperties {
    PhotoProperties(
      format: format, width: width, height: height, orientation: exif?.orientation ?? 1,
      extras: extras)
  }

  var reading: PhotoReading {
    let texts = StorySelection(self)
    return PhotoReading(
      facts: facts, story: texts.story, otherStory: texts.otherStory, caption: texts.caption,
      taken: exif?.taken)
  }
}
