/// The formats that can hold a story, recognised by content and never by file name.
public enum PhotoFormat: String, Sendable, CaseIterable, Codable {
  case jpeg, png

  /// File name extension, without the dot.
  public var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

  static let jpegMark: [UInt8] = [0xFF, 0xD8, 0xFF]
  static let pngMark: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  static func recognise(_ bytes: [UInt8]) throws(PhotoError) -> PhotoFormat {
    if bytes.starts(with: jpegMark) { return .jpeg }
    if bytes.starts(with: pngMark) { return .png }
    throw .format(UnsupportedPhoto(bytes))
  }
}

/// Unsupported formats that are recognised, so that the error can name them.
public enum UnsupportedPhoto: String, Sendable, CaseIterable, Codable {
  case heic, heif, avif, webP, gif, tiff, jpegXL, jpeg2000, bmp, svg, pdf, photoshop, icon, video
  /// The PNG that Apple's tools make for their own devices (chunk `CgBI`).
  case appleOnlyPNG
  /// Lossless or hierarchical JPEG, or one with its height after the first scan.
  case rareJPEG
  /// No known picture format.
  case unknown

  /// Name for display and log; empty for `unknown`.
  public var name: String {
    switch self {
    case .heic: "HEIC"
    case .heif: "HEIF"
    case .avif: "AVIF"
    case .webP: "WebP"
    case .gif: "GIF"
    case .tiff: "TIFF"
    case .jpegXL: "JPEG XL"
    case .jpeg2000: "JPEG 2000"
    case .bmp: "BMP"
    case .svg: "SVG"
    case .pdf: "PDF"
    case .photoshop: "PSD"
    case .icon: "ICO"
    case .video: "MP4"
    case .appleOnlyPNG: "CgBI PNG"
    case .rareJPEG: "lossless JPEG"
    case .unknown: ""
    }
  }

  init(_ bytes: [UInt8]) {
    let head = Array(bytes.prefix(1024))
    if let start = Self.starts.first(where: { head.starts(with: $0.mark) }) {
      self = start.format
    } else if head.dropFirst(4).starts(with: "ftyp".utf8) {
      self = Self.isoMedia(head)
    } else if head.starts(with: "RIFF".utf8), head.dropFirst(8).starts(with: "WEBP".utf8) {
      self = .webP
    } else {
      let text = String(decoding: head.filter { $0 != 0 }, as: UTF8.self).lowercased()
      self = text.contains("<svg") ? .svg : .unknown
    }
  }

  private static let starts: [(format: UnsupportedPhoto, mark: [UInt8])] = [
    (.gif, Array("GIF8".utf8)),
    (.tiff, [0x49, 0x49, 0x2A, 0]), (.tiff, [0x4D, 0x4D, 0, 0x2A]),
    (.tiff, [0x49, 0x49, 0x2B, 0]), (.tiff, [0x4D, 0x4D, 0, 0x2B]),
    (.jpegXL, [0xFF, 0x0A]), (.jpegXL, [0, 0, 0, 0x0C] + Array("JXL ".utf8)),
    (.jpeg2000, [0, 0, 0, 0x0C] + Array("jP  ".utf8)), (.jpeg2000, [0xFF, 0x4F, 0xFF, 0x51]),
    (.bmp, Array("BM".utf8)), (.pdf, Array("%PDF".utf8)), (.photoshop, Array("8BPS".utf8)),
    (.icon, [0, 0, 1, 0]), (.video, [0x1A, 0x45, 0xDF, 0xA3]),
  ]

  /// ISO 14496-12, section 4.3: the brands of a `ftyp` box determine the format.
  private static func isoMedia(_ head: [UInt8]) -> UnsupportedPhoto {
    let length = head.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    var brands: Set<String> = []
    for start in stride(from: 8, to: max(12, min(length, head.count)) - 3, by: 4) {
      brands.insert(String(decoding: head[start..<min(start + 4, head.count)], as: UTF8.self))
    }
    if !brands.isDisjoint(with: ["avif", "avis"]) { return .avif }
    if !brands.isDisjoint(with: ["heic", "heix", "heim", "heis", "hevc", "hevx"]) { return .heic }
    return brands.isDisjoint(with: ["mif1", "msf1", "miaf"]) ? .video : .heif
  }
}
