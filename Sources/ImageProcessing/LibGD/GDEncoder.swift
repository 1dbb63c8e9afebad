import Cgd
import Images

/// Encodes with libgd into files with only pixels and a colour profile.
struct GDEncoder {
  let profile: ColourProfile?

  /// The maximum side of a WebP, in px (RFC 9649, section 2.7.1).
  static let webPSide = 16_383

  /// Encoder settings for quality and size.
  struct Setting {
    /// 0 to 100, for JPEG and WebP.
    let quality: Int32
    /// Whether a JPEG is progressive: smaller, but slower to encode.
    let isProgressive: Bool

    /// docs/developer/feed.md#pictures: quality 90 at full size.
    static let original = Setting(quality: 90, isProgressive: false)
    static let smaller = Setting(quality: 82, isProgressive: true)
  }

  /// Encodes one picture; a GIF becomes a PNG. Throws `damaged` if libgd fails.
  func encode(_ image: GDImage, _ format: PictureFormat, _ setting: Setting, hasAlpha: Bool)
    throws(PictureError) -> [UInt8]
  {
    let pointer = image.pointer
    gdImageSetResolution(pointer, 72, 72)
    gdImageInterlace(pointer, setting.isProgressive && format == .jpeg ? 1 : 0)
    var count: Int32 = 0
    let encoded: UnsafeMutableRawPointer?
    switch format {
    case .jpeg:
      encoded = gdImageJpegPtr(pointer, &count, setting.quality)
    case .webp:
      if !image.isTrueColour { gdImagePaletteToTrueColor(pointer) }
      encoded = gdImageWebpPtrEx(pointer, &count, setting.quality)
    case .png, .gif:
      gdImageSaveAlpha(pointer, hasAlpha ? 1 : 0)
      encoded = gdImagePngPtrEx(pointer, &count, 6)
    }
    guard let encoded, count > 0 else { throw .damaged }
    let bytes = [UInt8](UnsafeRawBufferPointer(start: encoded, count: Int(count)))
    gdFree(encoded)
    return try MetadataStripper.rewrite(bytes, format, profile)
  }
}
