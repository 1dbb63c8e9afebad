import Cgd
import Cturbojpeg
import Testing

@testable import ImageProcessing
@testable import Images

/// Generated pictures with four corners of known colours.
enum TestPictures {
  /// Top left, top right, bottom left, bottom right.
  static let corners: [Int32] = [0xE0_2020, 0x20_C020, 0x20_20E0, 0xE0_E020]

  static func image(_ width: Int, _ height: Int) throws -> GDImage {
    let image = try GDImage.blank(width: width, height: height)
    for (index, colour) in corners.enumerated() {
      let left = index % 2 == 0 ? 0 : width / 2
      let top = index < 2 ? 0 : height / 2
      gdImageFilledRectangle(
        image.pointer, Int32(left), Int32(top), Int32(left + (width + 1) / 2),
        Int32(top + (height + 1) / 2), colour)
    }
    return image
  }

  static func jpeg(_ width: Int, _ height: Int, progressive: Bool = false) throws -> [UInt8] {
    let image = try image(width, height)
    gdImageInterlace(image.pointer, progressive ? 1 : 0)
    return take { gdImageJpegPtr(image.pointer, $0, 92) }
  }

  /// A JPEG with planes of colour of these sizes (`TJSAMP_…`).
  static func jpeg(_ width: Int, _ height: Int, _ subsampling: TJSAMP) throws -> [UInt8] {
    let image = try image(width, height)
    var pixels: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width { pixels += image.colour(x, y).prefix(3).map { UInt8($0) } }
    }
    let encoder = try #require(tjInitCompress())
    defer { tjDestroy(encoder) }
    var result: UnsafeMutablePointer<UInt8>?
    var count: UInt = 0
    defer { tjFree(result) }
    #expect(
      tjCompress2(
        encoder, pixels, Int32(width), 0, Int32(height), Int32(TJPF_RGB.rawValue), &result, &count,
        Int32(subsampling.rawValue), 95, 0) == 0)
    return [UInt8](UnsafeBufferPointer(start: result, count: Int(count)))
  }

  static func png(_ width: Int, _ height: Int, interlaced: Bool = false) throws -> [UInt8] {
    let image = try image(width, height)
    gdImageInterlace(image.pointer, interlaced ? 1 : 0)
    return take { gdImagePngPtrEx(image.pointer, $0, 6) }
  }

  /// Lossless from quality 101 on.
  static func webp(_ width: Int, _ height: Int, quality: Int32 = 95) throws -> [UInt8] {
    let image = try image(width, height)
    return take { gdImageWebpPtrEx(image.pointer, $0, quality) }
  }

  static func gif(_ width: Int, _ height: Int) throws -> [UInt8] {
    let image = try image(width, height)
    gdImageTrueColorToPalette(image.pointer, 0, 16)
    return take { gdImageGifPtr(image.pointer, $0) }
  }

  /// The left half opaque, the right half fully transparent.
  static func halfTransparent(_ width: Int, _ height: Int) throws -> GDImage {
    let image = try image(width, height)
    gdImageFilledRectangle(
      image.pointer, Int32(width / 2), 0, Int32(width - 1), Int32(height - 1), 127 << 24)
    gdImageSaveAlpha(image.pointer, 1)
    return image
  }

  static func take(_ encode: (UnsafeMutablePointer<Int32>) -> UnsafeMutableRawPointer?) -> [UInt8] {
    var count: Int32 = 0
    guard let pointer = encode(&count) else { return [] }
    defer { gdFree(pointer) }
    return [UInt8](UnsafeRawBufferPointer(start: pointer, count: Int(count)))
  }

  /// A CMYK JPEG as written by Adobe's programs (inverted): red on the left, green on the right.
  static let adobeCMYK = """
    /9j/7gAOQWRvYmUAZAAAAAAA/9sAQwAIBgYHBgUIBwcHCQkICgwUDQwLCwwZEhMPFB0aHx4dGhwcICQuJyAiLCMc
    HCg3KSwwMTQ0NB8nOT04MjwuMzQy/8AAFAgAEAAQBEMRAE0RAFkRAEsRAP/EAB8AAAEFAQEBAQEBAAAAAAAAAAAB
    AgMEBQYHCAkKC//EALUQAAIBAwMCBAMFBQQEAAABfQECAwAEEQUSITFBBhNRYQcicRQygZGhCCNCscEVUtHwJDNi
    coIJChYXGBkaJSYnKCkqNDU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6g4SFhoeIiYqSk5SV
    lpeYmZqio6Slpqeoqaqys7S1tre4ubrCw8TFxsfIycrS09TV1tfY2drh4uPk5ebn6Onq8fLz9PX29/j5+v/aAA4E
    QwBNAFkASwAAPwD3+vn+vn+vf6+AK+/6KK+/6+AKKK+AK+/6KK//2Q==
    """

  /// A JPEG of one component: 64 on the left, 192 on the right.
  static let grey = """
    /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAgGBgcGBQgHBwcJCQgKDBQNDAsLDBkSEw8UHRofHh0aHBwgJC4nICIs
    IxwcKDcpLDAxNDQ0Hyc5PTgyPC4zNDL/wAALCAAQABABAREA/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcI
    CQoL/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcY
    GRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKj
    pKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/9oACAEBAAA/APP6
    +gK+f6+gK//Z
    """
}
