import Testing

@testable import ImageProcessing
@testable import Images

@Suite("Formats are recognised by content")
struct PictureFormatTests {
  @Test("Each taken format is known by its first bytes")
  func taken() throws {
    #expect(try PictureFormat.recognise(TestPictures.jpeg(8, 8)) == .jpeg)
    #expect(try PictureFormat.recognise(TestPictures.png(8, 8)) == .png)
    #expect(try PictureFormat.recognise(TestPictures.webp(8, 8)) == .webp)
    #expect(try PictureFormat.recognise(TestPictures.gif(8, 8)) == .gif)
  }

  @Test(
    "Other formats are refused by name",
    arguments: [
      ("\0\0\0\u{18}ftypheic\0\0\0\0mif1heic", UnsupportedFormat.heic),
      ("\0\0\0\u{18}ftypmif1\0\0\0\0mif1avif", .avif), ("\0\0\0\u{14}ftypisom\0\0\0\0mp41", .video),
      ("<svg xmlns='http://www.w3.org/2000/svg'/>", .svg),
      ("<?xml version='1.0'?>\n<!-- a -->\n<SVG/>", .svg), ("II*\0rest", .tiff), ("MM\0*", .tiff),
      ("BM....", .bmp), ("%PDF-1.7", .pdf), ("8BPS", .photoshop), ("\0\0\u{1}\0", .icon),
      ("\0\0\0\u{C}JXL \r\n", .jpegXL), ("<html>", .unknown), ("", .unknown), ("\0", .unknown),
    ])
  func refused(head: String, format: UnsupportedFormat) {
    #expect(throws: PictureError.unsupportedFormat(format)) {
      try PictureFormat.recognise(Array(head.utf8))
    }
  }

  @Test("A file that fits two formats in its first 16 bytes is refused")
  func polyglots() throws {
    let heads: [[UInt8]] = [
      Array("GIF89a".utf8) + [0xFF, 0xD8, 0xFF, 0xE0], Array("GIF89a%PDF-1.4".utf8),
      [0xFF, 0xD8, 0xFF, 0xE0] + Array("ftypheic".utf8), [0xFF, 0xD8, 0xFF] + Array("GIF89a".utf8),
      [0xFF, 0xD8, 0xFF, 0xE1, 0, 0x20] + Array("<?php".utf8),
      Array("RIFF".utf8) + Array("%PDFWEBPVP8 ".utf8), Array("GIF87a<svg ".utf8),
    ]
    for head in heads {
      #expect(throws: PictureError.damaged) { try PictureFormat.recognise(head) }
    }
  }

  @Test("A GIF with a pink that looks like a JPEG's start is still a GIF")
  func pinkGIF() throws {
    let head = Array("GIF89a".utf8) + [8, 0, 8, 0, 0x80, 0, 0, 0xFF, 0xD8, 0xFF, 0xFF, 0xFF, 0xFF]
    #expect(try PictureFormat.recognise(head) == .gif)
  }

  @Test("Every error has a code of its own that a text's key can end with")
  func codes() {
    let errors: [PictureError] = [
      .unsupportedFormat(.heic), .unsupportedFormat(.animatedWebP), .unsupportedFormat(.tiff),
      .damaged, .tooManyBytes, .tooManyPixels, .busy, .diskFull, .failed("gone"),
    ]
    #expect(
      errors.map(\.code) == [
        "heic", "animated", "unsupported", "damaged", "too_many_bytes", "too_many_pixels", "busy",
        "disk_full", "failed",
      ])
  }
}
