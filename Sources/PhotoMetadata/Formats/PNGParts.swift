/// Parses a PNG into parts and builds a new one (docs/developer/photo-stories.md#what-is-written).
enum PNGParts {
  private static let kept: Set = [
    "PLTE", "tRNS", "IDAT", "IEND", "cHRM", "gAMA", "iCCP", "sRGB", "sBIT", "cICP", "mDCV", "cLLI",
    "bKGD", "pHYs", "sPLT", "hIST", "acTL", "fcTL", "fdAT",
  ]

  static func parse(_ bytes: [UInt8]) throws(PhotoError) -> PhotoParts {
    var parts = PhotoParts(format: .png, opening: 0..<(PhotoFormat.pngMark.count + 25))
    var hasData = false
    try PNGChunks.walk(bytes) { chunk throws(PhotoError) in
      if parts.width == 0 {
        try readHeader(bytes, chunk, into: &parts)
      } else if kept.contains(chunk.type) {
        guard chunk.isSound, chunk.type != "IEND" || chunk.content.isEmpty else {
          throw .read(.damaged)
        }
        if chunk.type == "iCCP" { parts.hasProfile = true }
        try parts.keep(chunk.whole)
        // The first data chunk is not bulk: a file without any data would not parse.
        if hasData, chunk.type == "IDAT" || chunk.type == "fdAT" { parts.pass(chunk.whole) }
        if chunk.type == "IDAT" { hasData = true }
      } else if chunk.type.utf8.first.map({ $0 & 0x20 == 0 }) ?? true {
        // A second header or an unknown critical chunk.
        throw .read(.damaged)
      } else if chunk.isSound, chunk.content.count <= PhotoLimits.block {
        readText(bytes, chunk, into: &parts)
      }
    }
    guard hasData else { throw .read(.damaged) }
    return parts
  }

  private static func readHeader(
    _ bytes: [UInt8], _ chunk: PNGChunks.Chunk, into parts: inout PhotoParts
  ) throws(PhotoError) {
    if chunk.type == "CgBI" { throw .format(.appleOnlyPNG) }
    var cursor = ByteCursor(bytes, in: chunk.content)
    guard chunk.type == "IHDR", chunk.content.count == 13, chunk.isSound,
      let width = cursor.number(4), let height = cursor.number(4), let depth = cursor.byte(),
      let type = cursor.byte(), [1, 2, 4, 8, 16].contains(depth), [0, 2, 3, 4, 6].contains(type)
    else { throw .read(.damaged) }
    try PhotoLimits.check(width: width, height: height)
    (parts.width, parts.height) = (width, height)
  }

  private static func readText(
    _ bytes: [UInt8], _ chunk: PNGChunks.Chunk, into parts: inout PhotoParts
  ) {
    switch chunk.type {
    case "eXIf" where parts.exif == nil:
      let content = bytes[chunk.content]
      let isMarked = content.starts(with: JPEGParts.exifMark)
      parts.exif = TIFFBlock(Array(content.dropFirst(isMarked ? JPEGParts.exifMark.count : 0)))
    case "tEXt", "zTXt", "iTXt":
      parts.textsRead += 1
      guard parts.textsRead <= PhotoLimits.texts,
        let text = PNGText(chunk.type, bytes, chunk.content)
      else { return }
      switch text.keyword {
      case PNGText.xmpKeyword: parts.add(packet: text.value[...])
      case PNGText.iptcKeyword where parts.iptc == nil:
        parts.iptc = PNGText.profile(text.value).flatMap(IPTCBlock.init(resources:))
      // Our own stories are UTF-8, which only `iTXt` supports.
      case PhotoStory.key where chunk.type != "iTXt": break
      default:
        if parts.texts[text.keyword] == nil { parts.texts[text.keyword] = text.string }
      }
    default: break
    }
  }

  /// Chunks of the new file between its header and the kept ones.
  static func blocks(_ story: PhotoStory?, _ parts: PhotoParts) throws(PhotoError) -> [UInt8] {
    let exif = try ExifBlob.make(story, for: parts).map { PNGChunks.make("eXIf", $0) } ?? []
    guard let story else { return exif }
    return PNGChunks.make("iTXt", PNGText.make(PhotoStory.key, Array(story.text.utf8)))
      + PNGChunks.make("iTXt", PNGText.make("Description", Array(story.text.utf8)))
      + PNGChunks.make("iTXt", PNGText.make(PNGText.xmpKeyword, XMPPacket.make(story))) + exif
      + PNGChunks.make("zTXt", try PNGText.profile("iptc", IPTCBlock.resource(story)))
  }
}
