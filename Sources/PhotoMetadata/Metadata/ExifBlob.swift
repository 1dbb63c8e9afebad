import Cexif
import Glibc

/// The EXIF block of a new file, built with libexif: only the orientation and the colour space are
/// taken from the source.
enum ExifBlob {
  /// The block from its byte order mark on; nil if it would have no content.
  static func make(_ story: PhotoStory?, for parts: PhotoParts) throws(PhotoError) -> [UInt8]? {
    let source = parts.exif
    let isPlain =
      (source?.orientation ?? 1) == 1 && (source?.colourSpace ?? 1) == 1
      && source?.isAdobeRGB != true
    guard story != nil || !isPlain else { return nil }
    guard let builder = Builder() else { throw .unknown("libexif has no memory") }
    if let story {
      try builder.add(.zero, EXIF_TAG_DOCUMENT_NAME, ascii(PhotoStory.key))
      try builder.add(.zero, EXIF_TAG_IMAGE_DESCRIPTION, ascii(story.text))
    }
    if let orientation = source?.orientation {
      try builder.add(.zero, EXIF_TAG_ORIENTATION, .short(orientation))
    }
    try builder.add(.zero, EXIF_TAG_X_RESOLUTION, .whole(72))
    try builder.add(.zero, EXIF_TAG_Y_RESOLUTION, .whole(72))
    try builder.add(.zero, EXIF_TAG_RESOLUTION_UNIT, .short(2))
    // Centred, the default position of samples in a JPEG.
    if parts.format == .jpeg { try builder.add(.zero, EXIF_TAG_YCBCR_POSITIONING, .short(1)) }

    try builder.add(.exif, EXIF_TAG_EXIF_VERSION, .undefined(Array("0232".utf8)))
    if parts.format == .jpeg {
      try builder.add(.exif, EXIF_TAG_COMPONENTS_CONFIGURATION, .undefined([1, 2, 3, 0]))
    }
    if let story {
      let comment = [UInt8](repeating: 0, count: 8) + Array("\(PhotoStory.key)=\(story.text)".utf8)
      try builder.add(.exif, EXIF_TAG_USER_COMMENT, .undefined(comment))
    }
    try builder.add(.exif, EXIF_TAG_FLASH_PIX_VERSION, .undefined(Array("0100".utf8)))
    try builder.add(.exif, EXIF_TAG_COLOR_SPACE, .short(colourSpace(parts)))
    try builder.add(.exif, EXIF_TAG_PIXEL_X_DIMENSION, .long(parts.width))
    try builder.add(.exif, EXIF_TAG_PIXEL_Y_DIMENSION, .long(parts.height))
    if source?.isAdobeRGB == true {
      try builder.add(.interoperability, EXIF_TAG_INTEROPERABILITY_INDEX, ascii("R03"))
      try builder.add(
        .interoperability, EXIF_TAG_INTEROPERABILITY_VERSION, .undefined(Array("0100".utf8)))
    }
    return try builder.block()
  }

  /// The source's colour space, by default sRGB, or "uncalibrated" if there is a profile.
  private static func colourSpace(_ parts: PhotoParts) -> Int {
    parts.exif?.colourSpace ?? (parts.hasProfile ? 0xFFFF : 1)
  }

  private static func ascii(_ text: String) -> Value { .ascii(Array(text.utf8) + [0]) }

  private enum Value {
    case ascii([UInt8])
    case undefined([UInt8])
    case short(Int)
    case long(Int)
    /// A rational with denominator 1.
    case whole(Int)

    var format: ExifFormat {
      switch self {
      case .ascii: EXIF_FORMAT_ASCII
      case .undefined: EXIF_FORMAT_UNDEFINED
      case .short: EXIF_FORMAT_SHORT
      case .long: EXIF_FORMAT_LONG
      case .whole: EXIF_FORMAT_RATIONAL
      }
    }

    /// Little-endian, as the whole block.
    var bytes: [UInt8] {
      switch self {
      case .ascii(let bytes), .undefined(let bytes): bytes
      case .short(let value): BigEndian.bytes(value, 2).reversed()
      case .long(let value): BigEndian.bytes(value, 4).reversed()
      case .whole(let value): BigEndian.bytes(value, 4).reversed() + [1, 0, 0, 0]
      }
    }

    var components: Int {
      switch self {
      case .ascii(let bytes), .undefined(let bytes): bytes.count
      case .short, .long, .whole: 1
      }
    }
  }

  private enum Directory { case zero, exif, interoperability }

  /// Owns libexif's values. Never calls `exif_data_fix`, which would rewrite the comment's
  /// character code and add sizes of zero.
  private final class Builder {
    private let data: UnsafeMutablePointer<ExifData>
    private let memory: OpaquePointer

    init?() {
      guard let data = exif_data_new() else { return nil }
      guard let memory = exif_mem_new_default() else {
        exif_data_unref(data)
        return nil
      }
      (self.data, self.memory) = (data, memory)
      exif_data_unset_option(data, EXIF_DATA_OPTION_FOLLOW_SPECIFICATION)
      exif_data_set_byte_order(data, EXIF_BYTE_ORDER_INTEL)
    }

    deinit {
      exif_data_unref(data)
      exif_mem_unref(memory)
    }

    func add(_ directory: Directory, _ tag: ExifTag, _ value: Value) throws(PhotoError) {
      let content =
        switch directory {
        case .zero: data.pointee.ifd.0
        case .exif: data.pointee.ifd.2
        case .interoperability: data.pointee.ifd.4
        }
      let bytes = value.bytes
      guard let content, let entry = exif_entry_new_mem(memory) else {
        throw .unknown("libexif has no memory")
      }
      defer { exif_entry_unref(entry) }
      guard let space = exif_mem_alloc(memory, ExifLong(bytes.count)) else {
        throw .unknown("libexif has no memory")
      }
      // Freed with the entry.
      entry.pointee.data = space.assumingMemoryBound(to: UInt8.self)
      for (index, byte) in bytes.enumerated() { entry.pointee.data[index] = byte }
      entry.pointee.size = UInt32(bytes.count)
      entry.pointee.tag = tag
      entry.pointee.format = value.format
      entry.pointee.components = UInt(value.components)
      exif_content_add_entry(content, entry)
    }

    func block() throws(PhotoError) -> [UInt8] {
      var saved: UnsafeMutablePointer<UInt8>?
      var size: UInt32 = 0
      exif_data_save_data(data, &saved, &size)
      guard let saved else { throw .unknown("libexif saves nothing") }
      defer { free(saved) }
      let bytes = Array(UnsafeBufferPointer(start: saved, count: Int(size)))
      // It begins like a JPEG segment and always fits into one.
      guard bytes.starts(with: JPEGParts.exifMark), bytes.count < 65_000 else {
        throw .unknown("libexif saves \(bytes.count) bytes")
      }
      return Array(bytes.dropFirst(JPEGParts.exifMark.count))
    }
  }
}
