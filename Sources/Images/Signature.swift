/// Signatures of file formats.
package enum Signature {
  package static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF]
  package static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
  package static let gif87 = Array("GIF87a".utf8)
  package static let gif89 = Array("GIF89a".utf8)
  package static let riff = Array("RIFF".utf8)
  package static let webp = Array("WEBP".utf8)

  /// Signatures that may be placed in free space of one format to make the file valid in another
  /// one, too.
  private static let marks: [(format: PictureFormat?, bytes: [UInt8])] = [
    (.png, Array("PNG\r\n".utf8)), (.gif, Array("GIF8".utf8)), (.webp, riff), (.webp, webp),
    (nil, Array("ftyp".utf8)), (nil, Array("%PDF".utf8)), (nil, Array("<svg".utf8)),
    (nil, Array("<?xml".utf8)), (nil, Array("<html".utf8)), (nil, Array("<script".utf8)),
    (nil, Array("<?php".utf8)), (nil, [0x50, 0x4B, 0x03, 0x04]),
  ]

  /// Whether the first 16 bytes match another format besides `format`.
  static func anotherFormat(than format: PictureFormat, in bytes: [UInt8]) -> Bool {
    let head = bytes.prefix(16).map(lowerCase)
    for offset in head.indices {
      let rest = head[offset...]
      for mark in marks where mark.format != format {
        if rest.starts(with: mark.bytes.map(lowerCase)) { return true }
      }
      // Checks a fourth byte, since three alone may be a pink in a GIF's colour table.
      if format != .jpeg, rest.starts(with: jpeg), let marker = rest.dropFirst(3).first,
        marker >= 0xC0
      {
        return true
      }
    }
    return false
  }

  private static func lowerCase(_ byte: UInt8) -> UInt8 {
    (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
  }

  /// The unsupported format of a file.
  static func unsupported(_ bytes: [UInt8]) -> UnsupportedFormat {
    for (format, mark) in starts where bytes.starts(with: mark) { return format }
    if bytes.dropFirst(4).starts(with: Array("ftyp".utf8)) { return isoMedia(bytes) }
    return looksLikeSVG(bytes) ? .svg : .unknown
  }

  private static let starts: [(UnsupportedFormat, [UInt8])] = [
    (.tiff, [0x49, 0x49, 0x2A, 0x00]), (.tiff, [0x4D, 0x4D, 0x00, 0x2A]),
    (.tiff, [0x49, 0x49, 0x2B, 0x00]), (.tiff, [0x4D, 0x4D, 0x00, 0x2B]),
    (.bmp, Array("BM".utf8)), (.pdf, Array("%PDF".utf8)), (.icon, [0, 0, 1, 0]),
    (.photoshop, Array("8BPS".utf8)), (.jpegXL, [0xFF, 0x0A]),
    (.jpegXL, [0, 0, 0, 0x0C] + Array("JXL ".utf8)),
    (.jpeg2000, [0, 0, 0, 0x0C] + Array("jP  ".utf8)), (.jpeg2000, [0xFF, 0x4F, 0xFF, 0x51]),
    (.video, [0x1A, 0x45, 0xDF, 0xA3]),
  ]

  /// ISO 14496-12, section 4.3: the brands of a `ftyp` box determine the format.
  private static func isoMedia(_ bytes: [UInt8]) -> UnsupportedFormat {
    let length = bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    let brands = bytes.prefix(max(12, min(length, bytes.count))).dropFirst(8)
    var found: [String] = []
    var rest = brands
    while rest.count >= 4 {
      found.append(String(decoding: rest.prefix(4), as: UTF8.self))
      rest = rest.dropFirst(4)
    }
    if found.contains("avif") || found.contains("avis") { return .avif }
    let heic: Set = ["heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1"]
    return found.contains(where: heic.contains) ? .heic : .video
  }

  private static func looksLikeSVG(_ bytes: [UInt8]) -> Bool {
    let text = String(decoding: bytes.filter { $0 != 0 }, as: UTF8.self).lowercased()
    return text.contains("<svg")
  }
}
