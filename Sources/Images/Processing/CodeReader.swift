import Czbar

/// Reads the QR codes in one picture with libzbar; runs in the child process only.
enum CodeReader {
  /// Codes that are told of one picture, and bytes that a code may hold: a link into a group with
  /// the longest name takes about 800.
  static let mostCodes = 8
  static let mostBytes = 1_000

  /// Longest sides at which a picture is looked at, in pixels: small first, which is fast and bears
  /// noise; larger where nothing is found.
  private static let sides = [1_000, 2_000, 4_000]

  /// The texts of the codes in a file, each once.
  static func read(_ path: String) throws(PictureError) -> [String] {
    let limits = PictureLimits.picture
    let bytes = try PictureFile.read(path, of: limits.bytes)
    let header = try PictureHeader.identify(bytes, limits: limits)
    let decoded = try GDDecoder.decode(bytes, as: header)
    let image = header.hasAlpha ? try decoded.flattened() : decoded
    let longest = max(image.width, image.height)
    for side in sides {
      let found = try scan(image, longestSide: min(side, longest))
      if !found.isEmpty || side >= longest { return found }
    }
    return []
  }

  private static func scan(_ image: GDImage, longestSide: Int) throws(PictureError) -> [String] {
    let longest = max(image.width, image.height)
    let width = max(1, image.width * longestSide / longest)
    let height = max(1, image.height * longestSide / longest)
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
    // The pixels are ours; they outlive the image.
    defer { zbar_image_destroy(image) }
    zbar_image_set_format(image, grey8)
    zbar_image_set_size(image, UInt32(width), UInt32(height))
    return grey.withUnsafeBytes { pixels in
      zbar_image_set_data(image, pixels.baseAddress, UInt(pixels.count), nil)
      defer { zbar_image_set_data(image, nil, 0, nil) }
      guard zbar_scan_image(scanner, image) > 0 else { return [] }
      var found: [String] = []
      var symbol = zbar_image_first_symbol(image)
      while let current = symbol, found.count < mostCodes {
        if let text = text(of: current), !found.contains(text) { found.append(text) }
        symbol = zbar_symbol_next(current)
      }
      return found
    }
  }

  /// Nil for what is no text, or longer than any link of ours.
  private static func text(of symbol: OpaquePointer) -> String? {
    let length = Int(zbar_symbol_get_data_length(symbol))
    guard (1...mostBytes).contains(length), let data = zbar_symbol_get_data(symbol) else {
      return nil
    }
    return String(
      validating: UnsafeRawBufferPointer(start: data, count: length), as: UTF8.self)
  }

  /// The four characters "Y800": 8 bits of grey a pixel.
  private static let grey8: UInt = 0x3030_3859
}
