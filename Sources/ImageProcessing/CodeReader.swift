import Czbar
import Images

/// Reads QR codes in a picture with libzbar; runs in the child process only.
enum CodeReader {
  /// Maximum number of codes per picture; below, maximum size of a code in bytes: a link into a
  /// group with the longest name takes about 800.
  static let maximumCodes = 8
  static let maximumBytes = 1_000

  /// Longest sides at which a picture is scanned, in px: small first, which is fast and tolerates
  /// noise; larger if nothing was found.
  private static let sides = [1_000, 2_000, 4_000]

  /// The texts of the codes in a file, without duplicates.
  static func read(_ path: String) throws(PictureError) -> [String] {
    let limits = PictureLimits.picture
    let bytes = try PictureFile.read(path, of: limits.bytes)
    let header = try PictureHeader.identify(bytes, limits: limits)
    let decoded = try GDDecoder.decode(bytes, as: header)
    let image = header.hasAlpha ? try decoded.flattened() : decoded
    let longest = max(image.width, image.height)
    for side in sides {
      let found = try scan(image, maximumSide: min(side, longest))
      if !found.isEmpty || side >= longest { return found }
    }
    return []
  }

  private static func scan(_ image: GDImage, maximumSide: Int) throws(PictureError) -> [String] {
    let longest = max(image.width, image.height)
    let width = max(1, image.width * maximumSide / longest)
    let height = max(1, image.height * maximumSide / longest)
    let small = try image.resampled(
      from: Area(left: 0, top: 0, width: image.width, height: image.height), width: width,
      height: height)
    return try texts(in: small.luminance, width: width, height: height)
  }

  private static func texts(
    in grey: [UInt8], width: Int, height: Int
  ) throws(PictureError) -> [String] {
    guard let scanner = zbar_image_scanner_create() else { throw .failed("no scanner") }
    defer { zbar_image_scanner_destroy(scanner) }
    zbar_image_scanner_set_config(scanner, ZBAR_NONE, ZBAR_CFG_ENABLE, 0)
    zbar_image_scanner_set_config(scanner, ZBAR_QRCODE, ZBAR_CFG_ENABLE, 1)
    guard let image = zbar_image_create() else { throw .failed("no image") }
    // The pixels are owned by this code and outlive the image.
    defer { zbar_image_destroy(image) }
    zbar_image_set_format(image, grey8)
    zbar_image_set_size(image, UInt32(width), UInt32(height))
    return grey.withUnsafeBytes { pixels in
      zbar_image_set_data(image, pixels.baseAddress, UInt(pixels.count), nil)
      defer { zbar_image_set_data(image, nil, 0, nil) }
      guard zbar_scan_image(scanner, image) > 0 else { return [] }
      var found: [String] = []
      var symbol = zbar_image_first_symbol(image)
      while let current = symbol, found.count < maximumCodes {
        if let text = text(of: current), !found.contains(text) { found.append(text) }
        symbol = zbar_symbol_next(current)
      }
      return found
    }
  }

  /// Nil if it is not text, or longer than any of our links.
  private static func text(of symbol: OpaquePointer) -> String? {
    let length = Int(zbar_symbol_get_data_length(symbol))
    guard (1...maximumBytes).contains(length), let data = zbar_symbol_get_data(symbol) else {
      return nil
    }
    return String(
      validating: UnsafeRawBufferPointer(start: data, count: length), as: UTF8.self)
  }

  /// The FourCC "Y800": 8 bits of grey per pixel.
  private static let grey8: UInt = 0x3030_3859
}
