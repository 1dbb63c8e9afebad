import Cgd
import Foundation
import Testing

@testable import ImageProcessing
@testable import Images

/// A lossless WebP, for `TestPictures.take`.
func gdLosslessWebP(_ image: GDImage, _ count: UnsafeMutablePointer<Int32>)
  -> UnsafeMutableRawPointer?
{
  gdImageWebpPtrEx(image.pointer, count, gdWebpLossless)
}

@Suite("Colours and transparency come through")
struct ColourTests {
  static func cmyk() throws -> [UInt8] {
    [UInt8](
      try #require(
        Data(base64Encoded: TestPictures.adobeCMYK, options: .ignoreUnknownCharacters)))
  }

  static func greyJPEG() throws -> [UInt8] {
    [UInt8](
      try #require(Data(base64Encoded: TestPictures.grey, options: .ignoreUnknownCharacters)))
  }

  private func mean(_ image: GDImage) -> [Int] {
    var sums = [0, 0, 0, 0]
    for y in stride(from: 0, to: image.height, by: 3) {
      for x in stride(from: 0, to: image.width, by: 3) {
        for (index, value) in image.colour(x, y).enumerated() { sums[index] += value }
      }
    }
    let count = ((image.height + 2) / 3) * ((image.width + 2) / 3)
    return sums.map { $0 / count }
  }

  @Test("A photograph's mean colour is the same in every file")
  func photograph() throws {
    let bench = try Bench()
    let file = try CameraSamples.read("sample1.jpg")
    let before = mean(try GDDecoder.decode(file, as: PictureHeader.identify(file)))
    let picture = try bench.process(file)
    #expect(alike(mean(try bench.decoded(.original, of: picture)), before, within: 2))
    #expect(alike(mean(try bench.decoded(.medium, of: picture)), before, within: 2))
    #expect(alike(mean(try bench.decoded(.medium, of: picture, as: "webp")), before, within: 3))
  }

  @Test("Each format's corners keep their colours in every file")
  func corners() throws {
    let files = [
      try TestPictures.jpeg(900, 600), try TestPictures.jpeg(900, 600, progressive: true),
      try TestPictures.png(900, 600), try TestPictures.png(900, 600, interlaced: true),
      try TestPictures.webp(900, 600), try TestPictures.webp(900, 600, quality: 101),
      try TestPictures.gif(900, 600),
    ]
    for file in files {
      let bench = try Bench()
      let picture = try bench.process(file)
      for variant in PictureVariant.allCases {
        let seen = try bench.decoded(variant, of: picture).cornerColours
        for (colour, corner) in zip(seen, TestPictures.corners) {
          #expect(alike(colour, opaque(corner)), "\(variant) of .\(picture.fileExtension)")
        }
      }
    }
  }

  @Test("An Adobe CMYK JPEG has its colours, not their opposites")
  func cmykColours() throws {
    let bench = try Bench()
    let image = try bench.decoded(.original, of: bench.process(Self.cmyk()))
    #expect(alike(image.colour(3, 8), [255, 0, 0, 0]))
    #expect(alike(image.colour(12, 8), [0, 255, 0, 0]))
  }

  @Test("A grey JPEG stays grey")
  func greyColours() throws {
    let bench = try Bench()
    let image = try bench.decoded(.original, of: bench.process(Self.greyJPEG()))
    #expect(alike(image.colour(3, 8), [64, 64, 64, 0]))
    #expect(alike(image.colour(12, 8), [192, 192, 192, 0]))
  }

  @Test("16-bit PNGs, in colour and grey, with and without alpha")
  func sixteenBits() throws {
    let bench = try Bench()
    let samples: [(UInt8, [UInt8], [Int])] = [
      (2, [0xC0, 1, 0x40, 2, 0x10, 3], [0xC0, 0x40, 0x10, 0]), (0, [0x80, 9], [128, 128, 128, 0]),
      (6, [0xC0, 1, 0x40, 2, 0x10, 3, 0x80, 0], [0xC0, 0x40, 0x10, 63]),
      (4, [0x80, 9, 0x80, 0], [128, 128, 128, 63]),
    ]
    for (type, pixel, colour) in samples {
      let row = (0..<12).flatMap { _ in pixel }
      let file = HandmadePNG.make(
        12, 12, depth: 16, type: type, rows: [[UInt8]](repeating: row, count: 12))
      let picture = try bench.process(file)
      for variant in PictureVariant.allCases {
        #expect(alike(try bench.decoded(variant, of: picture).colour(6, 6), colour, within: 1))
      }
    }
  }

  @Test("A palette's transparency is kept, and small palettes too")
  func palette() throws {
    let bench = try Bench()
    let file = HandmadePNG.make(
      16, 16, depth: 2, type: 3,
      before: [("PLTE", [255, 0, 0, 0, 0, 255, 0, 255, 0]), ("tRNS", [255, 128, 0])],
      // Pixels 0, 1, 2, 2 in each byte.
      rows: [[UInt8]](repeating: [0x1A, 0x1A, 0x1A, 0x1A], count: 16))
    let picture = try bench.process(file)
    #expect(picture.fileExtension == "png" && !picture.hasWebP)
    let image = try bench.decoded(.original, of: picture)
    #expect(image.colour(0, 0) == [255, 0, 0, 0])
    #expect(alike(image.colour(1, 0), [0, 0, 255, 63], within: 1))
    #expect(image.colour(2, 0)[3] == 127)
  }

  @Test("A colour named transparent is transparent in every file")
  func transparentColour() throws {
    let bench = try Bench()
    let row: [UInt8] = (0..<400).flatMap { $0 < 200 ? [10, 20, 30] : [200, 100, 50] }
    let file = HandmadePNG.make(
      400, 400, depth: 8, type: 2, before: [("tRNS", [0, 10, 0, 20, 0, 30])],
      rows: [[UInt8]](repeating: row, count: 400))
    let picture = try bench.process(file)
    for variant in PictureVariant.allCases {
      let image = try bench.decoded(variant, of: picture)
      #expect(image.cornerColours[0][3] == 127)
      #expect(image.cornerColours[1] == [200, 100, 50, 0])
    }
  }

  @Test("Transparency of PNG, WebP and GIF is kept")
  func transparency() throws {
    let source = try TestPictures.halfTransparent(900, 600)
    let png = TestPictures.take { gdImagePngPtrEx(source.pointer, $0, 6) }
    let lossless = TestPictures.take { gdLosslessWebP(source, $0) }
    let lossy = TestPictures.take { gdImageWebpPtrEx(source.pointer, $0, 90) }
    for file in [png, lossless, lossy] {
      let bench = try Bench()
      let picture = try bench.process(file)
      for variant in PictureVariant.allCases {
        let image = try bench.decoded(variant, of: picture)
        #expect(alike(image.cornerColours[0], opaque(TestPictures.corners[0])))
        #expect(image.cornerColours[1][3] == 127)
      }
    }
  }

  @Test("A transparent avatar lies on white")
  func avatarOnWhite() throws {
    let source = try TestPictures.halfTransparent(400, 400)
    let bench = try Bench()
    let picture = try bench.process(
      TestPictures.take { gdImagePngPtrEx(source.pointer, $0, 6) }, as: .avatar)
    #expect(picture.fileExtension == "jpg")
    let image = try bench.decoded(.original, of: picture)
    #expect(alike(image.cornerColours[0], opaque(TestPictures.corners[0])))
    #expect(alike(image.cornerColours[1], [255, 255, 255, 0], within: 2))
  }
}
