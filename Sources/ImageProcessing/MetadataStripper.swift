import Cgd
import Images

/// Rewrites the output of libgd: without comments of the encoder, and with the colour profile that
/// libgd drops (docs/developer/feed.md#pictures).
enum MetadataStripper {
  static func rewrite(_ bytes: [UInt8], _ format: PictureFormat, _ profile: ColourProfile?)
    throws(PictureError) -> [UInt8]
  {
    switch format {
    case .jpeg: try jpeg(bytes, profile)
    case .webp: try webp(bytes, profile)
    case .png, .gif: try png(bytes, profile)
    }
  }

  /// JFIF first, then the profile, then the segments needed for the pixels.
  private static func jpeg(_ bytes: [UInt8], _ profile: ColourProfile?) throws(PictureError)
    -> [UInt8]
  {
    var head: [UInt8] = [0xFF, 0xD8]
    var tables: [UInt8] = []
    let scan = try JPEGSegments.list(bytes) { segment throws(PictureError) in
      switch segment.marker {
      case 0xE0: head += bytes[segment.whole]
      case 0xE1...0xEF, 0xFE: break
      default: tables += bytes[segment.whole]
      }
    }
    head.reserveCapacity(bytes.count + (profile?.bytes.count ?? 0) + 1024)
    if let profile { head += profileSegments(profile.bytes) }
    return head + tables + bytes[scan...]
  }

  /// ICC.1:2022, annex B.4: a mark, number and count, then at most 65,519 bytes per segment.
  private static func profileSegments(_ profile: [UInt8]) -> [UInt8] {
    let space = 65_519
    let count = (profile.count + space - 1) / space
    var segments: [UInt8] = []
    for index in 0..<count {
      let part = profile.dropFirst(index * space).prefix(space)
      let length = 2 + JPEGSegments.profileMark.count + 2 + part.count
      segments += [0xFF, 0xE2, UInt8(length >> 8), UInt8(length & 0xFF)]
      segments += JPEGSegments.profileMark
      segments += [UInt8(index + 1), UInt8(count)]
      segments += part
    }
    return segments
  }

  private static func png(_ bytes: [UInt8], _ profile: ColourProfile?) throws(PictureError)
    -> [UInt8]
  {
    let pixelChunks = try PNGChunks.pixelChunks(of: bytes)
    guard let packed = profile?.packed else { return pixelChunks }
    // The type, a name, its terminator and the compression method.
    var chunk = Array("iCCPicc".utf8)
    chunk += [0, 0]
    chunk += packed
    let checksum = crc32(0, chunk, UInt32(chunk.count))
    let afterHeader = Signature.png.count + 25
    var result = Array(pixelChunks[..<afterHeader])
    result += bigEndian(chunk.count - 4)
    result += chunk
    result += bigEndian(Int(checksum))
    result += pixelChunks[afterHeader...]
    return result
  }

  /// RFC 9649, section 2.7: a profile needs the extended format and comes before the picture.
  private static func webp(_ bytes: [UInt8], _ profile: ColourProfile?) throws(PictureError)
    -> [UInt8]
  {
    let header = try WebPChunks.header(bytes)
    var picture: [UInt8] = []
    try WebPChunks.list(bytes) { chunk throws(PictureError) in
      if ["ALPH", "VP8 ", "VP8L"].contains(chunk.type) {
        picture += webpChunk(chunk.type, bytes[chunk.content])
      }
    }
    var content = Signature.webp
    if profile != nil || header.hasAlpha {
      var extended: [UInt8] = [(profile == nil ? 0 : 0x20) | (header.hasAlpha ? 0x10 : 0), 0, 0, 0]
      extended += littleEndian(header.width - 1).prefix(3)
      extended += littleEndian(header.height - 1).prefix(3)
      content += webpChunk("VP8X", extended[...])
    }
    if let profile { content += webpChunk("ICCP", profile.bytes[...]) }
    content += picture
    return Signature.riff + littleEndian(content.count) + content
  }

  private static func webpChunk(_ type: String, _ content: ArraySlice<UInt8>) -> [UInt8] {
    var chunk = Array(type.utf8)
    chunk += littleEndian(content.count)
    chunk += content
    if content.count % 2 == 1 { chunk.append(0) }
    return chunk
  }

  private static func bigEndian(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  private static func littleEndian(_ value: Int) -> [UInt8] {
    [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> $0) }
  }
}
