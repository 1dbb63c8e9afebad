/// Metadata blocks that cameras and editors write into pictures.
enum TestMetadata {
  /// EXIF of one directory: an orientation, a serial number, and a location.
  static func exif(orientation: Int) -> [UInt8] {
    let serial = Array("SN-12345\0".utf8)
    let gps = 8 + 2 + 3 * 12 + 4
    let serialAt = gps + 2 + 2 * 12 + 4
    var block = Array("MM\0*".utf8) + HandmadePNG.number(8)
    block += [0, 3]
    block += entry(0x0112, 3, 1, [0, UInt8(orientation), 0, 0])
    block += entry(0x8825, 4, 1, HandmadePNG.number(gps))
    block += entry(0xC62F, 2, serial.count, HandmadePNG.number(serialAt))
    block += HandmadePNG.number(0)
    block += [0, 2]
    block += entry(0x0001, 2, 2, [0x4E, 0, 0, 0])
    block += entry(0x0005, 1, 1, [0, 0, 0, 0])
    block += HandmadePNG.number(0)
    return block + serial
  }

  private static func entry(_ tag: Int, _ type: UInt8, _ count: Int, _ value: [UInt8]) -> [UInt8] {
    [UInt8(tag >> 8), UInt8(tag & 0xFF), 0, type] + HandmadePNG.number(count) + value
  }

  /// A display profile with swapped red and green, so that its loss is visible; padded to `size`
  /// bytes.
  static func swappedProfile(size: Int = 600) -> [UInt8] {
    let tags: [(String, [UInt8])] = [
      ("rXYZ", xyz(0.3851, 0.7169, 0.0971)), ("gXYZ", xyz(0.4361, 0.2225, 0.0139)),
      ("bXYZ", xyz(0.1431, 0.0606, 0.7139)), ("wtpt", xyz(0.9642, 1, 0.8249)),
      ("rTRC", Array("curv\0\0\0\0\0\0\0\u{1}".utf8) + [2, 0x33, 0, 0]),
    ]
    var table = HandmadePNG.number(tags.count)
    var data: [UInt8] = []
    for (name, content) in tags {
      table += Array(name.utf8) + HandmadePNG.number(128 + 4 + tags.count * 12 + data.count)
      table += HandmadePNG.number(content.count)
      data += content
    }
    var profile = HandmadePNG.number(size) + Array("lcms".utf8) + [2, 0x10, 0, 0]
    profile += Array("mntrRGB XYZ ".utf8) + [UInt8](repeating: 0, count: 12)
    profile += Array("acsp".utf8) + [UInt8](repeating: 0, count: 88)
    profile += table + data
    // The padding must not be mostly zeros, or a lost part could go unnoticed.
    return profile + (profile.count..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 251) }
  }

  private static func xyz(_ x: Double, _ y: Double, _ z: Double) -> [UInt8] {
    Array("XYZ \0\0\0\0".utf8) + [x, y, z].flatMap { HandmadePNG.number(Int($0 * 65_536)) }
  }

  /// Inserts a segment after a JPEG's start marker.
  static func insert(_ marker: UInt8, _ content: [UInt8], into jpeg: [UInt8]) -> [UInt8] {
    let length = content.count + 2
    return Array(jpeg[..<2]) + [0xFF, marker, UInt8(length >> 8), UInt8(length & 0xFF)] + content
      + jpeg[2...]
  }

  static func insert(exif: [UInt8], into jpeg: [UInt8]) -> [UInt8] {
    insert(0xE1, Array("Exif\0\0".utf8) + exif, into: jpeg)
  }

  static func insert(profile: [UInt8], into jpeg: [UInt8], part: Int = 65_519) -> [UInt8] {
    let count = (profile.count + part - 1) / part
    return (0..<count).reversed().reduce(jpeg) { file, index in
      let content = Array("ICC_PROFILE\0".utf8) + [UInt8(index + 1), UInt8(count)]
      return insert(0xE2, content + profile.dropFirst(index * part).prefix(part), into: file)
    }
  }

  /// A WebP in the extended format, with more chunks around the picture's.
  static func extend(
    _ webp: [UInt8], _ width: Int, _ height: Int, flags: UInt8, before: [(String, [UInt8])] = [],
    after: [(String, [UInt8])] = []
  ) -> [UInt8] {
    let header: [UInt8] =
      [flags, 0, 0, 0] + little(width - 1).prefix(3) + little(height - 1).prefix(3)
    var content = Array("WEBP".utf8) + riff("VP8X", header)
    for (type, bytes) in before { content += riff(type, bytes) }
    content += webp[12...]
    for (type, bytes) in after { content += riff(type, bytes) }
    return Array("RIFF".utf8) + little(content.count) + content
  }

  private static func riff(_ type: String, _ content: [UInt8]) -> [UInt8] {
    Array(type.utf8) + little(content.count) + content + (content.count % 2 == 1 ? [0] : [])
  }

  private static func little(_ value: Int) -> [UInt8] { HandmadePNG.number(value).reversed() }
}
