import Cturbojpeg
import Images

/// Makes a JPEG of a HEIC picture, with its colour profile and its EXIF block, from which the album
/// takes the date (docs/developer/feed.md#pictures).
enum HEIFConverter {
  /// High, since the JPEG becomes the photo of the album; lower while it is too large for one.
  static let qualities: [Int32] = [92, 85, 75, 60]

  /// Maximum size of the JPEG without EXIF block and colour profile, in bytes.
  private static let maximumBytes =
    PictureLimits.photo.bytes - ColourProfile.limit - 2 * Int(UInt16.max)

  /// Writes the JPEG of a file; returns what it is.
  static func convert(_ file: String, to target: String) throws(PictureError)
    -> ImageJobReport.ImageResult
  {
    let reader = try HEIFReader(PictureFile.read(file, of: PictureLimits.photo.bytes))
    let encoded = try reader.decode { (pixels, rowBytes) throws(PictureError) in
      try encode(
        pixels, rowBytes, width: reader.width, height: reader.height, atMost: maximumBytes)
    }
    var jpeg = try MetadataStripper.rewrite(encoded, .jpeg, reader.profile)
    // Directly after the start of the picture (Exif 3.0, section 4.5.2).
    if let exif = reader.exif { jpeg.insert(contentsOf: segment(exif), at: 2) }
    try PictureFile.write(jpeg, to: target)
    return ImageJobReport.ImageResult(
      width: reader.width, height: reader.height,
      fileExtension: PictureFormat.jpeg.fileExtension, hasWebP: false, bytes: jpeg.count)
  }

  /// The JPEG of the best quality with at most so many bytes.
  static func encode(
    _ pixels: UnsafePointer<UInt8>, _ rowBytes: Int, width: Int, height: Int, atMost bytes: Int
  ) throws(PictureError) -> [UInt8] {
    for quality in qualities {
      let jpeg = try encode(pixels, rowBytes, width: width, height: height, quality: quality)
      if jpeg.count <= bytes { return jpeg }
    }
    throw .tooManyBytes
  }

  private static func encode(
    _ pixels: UnsafePointer<UInt8>, _ rowBytes: Int, width: Int, height: Int, quality: Int32
  ) throws(PictureError) -> [UInt8] {
    guard let handle = tjInitCompress() else { throw .failed("no memory for libjpeg-turbo") }
    defer { tjDestroy(handle) }
    var encoded: UnsafeMutablePointer<UInt8>?
    var count: UInt = 0
    defer { tjFree(encoded) }
    let result = tjCompress2(
      handle, pixels, Int32(width), Int32(rowBytes), Int32(height), Int32(TJPF_RGB.rawValue),
      &encoded, &count, Int32(TJSAMP_420.rawValue), quality, TJFLAG_ACCURATEDCT)
    guard result == 0, let encoded else { throw .damaged }
    return Array(UnsafeBufferPointer(start: encoded, count: Int(count)))
  }

  private static func segment(_ exif: [UInt8]) -> [UInt8] {
    let content = JPEGSegments.exifMark + upright(exif)
    let length = content.count + 2
    return [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)] + content
  }

  /// The block of a picture that was rotated while decoding (TIFF 6.0, section 2; Exif 3.0, tag
  /// 0x0112).
  static func upright(_ exif: [UInt8]) -> [UInt8] {
    let isLittle = exif.starts(with: [0x49, 0x49])
    func number(_ offset: Int, _ count: Int) -> Int {
      guard offset >= 0, offset + count <= exif.count else { return 0 }
      let bytes = exif[offset..<offset + count]
      return isLittle
        ? bytes.reversed().reduce(0) { $0 << 8 | Int($1) } : bytes.reduce(0) { $0 << 8 | Int($1) }
    }
    let directory = number(4, 4)
    let entries = (0..<number(directory, 2)).map { directory + 2 + 12 * $0 }
    guard let entry = entries.first(where: { number($0, 2) == 0x0112 }), entry + 12 <= exif.count
    else { return exif }
    let one: [UInt8] = isLittle ? [1, 0, 0, 0] : [0, 1, 0, 0]
    var result = exif
    result.replaceSubrange(entry + 8..<entry + 12, with: one)
    return result
  }
}
