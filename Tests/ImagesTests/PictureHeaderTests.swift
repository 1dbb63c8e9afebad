import Cgd
import Testing

@testable import ImageProcessing
@testable import Images

@Suite("Sizes are read before decoding")
struct PictureHeaderTests {
  @Test("Width and height of each format")
  func sizes() throws {
    let files = [
      try TestPictures.jpeg(321, 123), try TestPictures.jpeg(321, 123, progressive: true),
      try TestPictures.png(321, 123), try TestPictures.webp(321, 123),
      try TestPictures.webp(321, 123, quality: 101), try TestPictures.gif(321, 123),
    ]
    for file in files {
      let header = try PictureHeader.identify(file)
      #expect(header.width == 321 && header.height == 123)
    }
  }

  @Test("An extended WebP must have the size of the picture in it")
  func extendedWebP() throws {
    let plain = try TestPictures.webp(40, 30)
    let good = TestMetadata.extend(plain, 40, 30, flags: 0)
    #expect(try PictureHeader.identify(good).width == 40)
    let bad = TestMetadata.extend(plain, 41, 30, flags: 0)
    #expect(throws: PictureError.damaged) { try PictureHeader.identify(bad) }
  }

  @Test("A picture of 20,000 by 20,000 pixels is refused, however small its file")
  func bomb() throws {
    let file = HandmadePNG.make(20_000, 20_000, depth: 1, type: 0, rows: [[0]])
    #expect(file.count < 661)
    #expect(throws: PictureError.tooManyPixels) { try PictureHeader.identify(file) }
  }

  @Test("50 megapixels are taken, one row more is not")
  func manyPixels() throws {
    let maximum = HandmadePNG.make(10_000, 5_000, depth: 8, type: 2, rows: [])
    #expect(try PictureHeader.identify(maximum).width == 10_000)
    let more = HandmadePNG.make(10_000, 5_001, depth: 8, type: 2, rows: [])
    #expect(throws: PictureError.tooManyPixels) { try PictureHeader.identify(more) }
    let thin = HandmadePNG.make(1, 70_000, depth: 8, type: 2, rows: [])
    #expect(throws: PictureError.tooManyPixels) { try PictureHeader.identify(thin) }
  }

  @Test("A transparent WebP has 20 megapixels at most, since packing it takes much memory")
  func transparentWebP() throws {
    func lossless(_ width: Int, _ height: Int, alpha: Int) -> [UInt8] {
      let bits = HandmadePNG.number(alpha << 28 | (height - 1) << 14 | (width - 1)).reversed()
      return Array("RIFF\u{12}\0\0\0WEBPVP8L\u{5}\0\0\0\u{2F}".utf8) + bits + [0]
    }
    #expect(try PictureHeader.identify(lossless(5_000, 4_000, alpha: 1)).hasAlpha)
    #expect(try PictureHeader.identify(lossless(8_000, 6_000, alpha: 0)).width == 8_000)
    #expect(throws: PictureError.tooManyPixels) {
      try PictureHeader.identify(lossless(5_000, 4_001, alpha: 1))
    }
  }

  @Test("12 MiB are taken, one byte more is not")
  func manyBytes() throws {
    let picture = try TestPictures.jpeg(16, 16)
    let maximum = picture + [UInt8](repeating: 0, count: PictureLimits.bytes - picture.count)
    #expect(try PictureHeader.identify(maximum).width == 16)
    #expect(throws: PictureError.tooManyBytes) { try PictureHeader.identify(maximum + [0]) }
    let bench = try Bench()
    let path = try bench.file(maximum + [0])
    #expect(throws: PictureError.tooManyBytes) { try PictureHeader.identify(file: path) }
  }

  @Test("A picture without width or height is damaged")
  func empty() throws {
    let file = HandmadePNG.make(0, 10, depth: 8, type: 2, rows: [])
    #expect(throws: PictureError.damaged) { try PictureHeader.identify(file) }
  }

  @Test("Animated WebP, Apple's own PNG and lossless or 12-bit JPEG are named")
  func rareKinds() throws {
    let animated = TestMetadata.extend(try TestPictures.webp(8, 8), 8, 8, flags: 2)
    #expect(throws: PictureError.unsupportedFormat(.animatedWebP)) {
      try PictureHeader.identify(animated)
    }
    let frames = TestMetadata.extend(
      try TestPictures.webp(8, 8), 8, 8, flags: 0, before: [("ANIM", [0, 0, 0, 0, 0, 0])])
    #expect(throws: PictureError.unsupportedFormat(.animatedWebP)) {
      try PictureHeader.identify(frames)
    }
    let png = try TestPictures.png(8, 8)
    let apple = Array(png[..<8]) + HandmadePNG.chunk("CgBI", [0x50, 0, 0x20, 2]) + png[8...]
    #expect(throws: PictureError.unsupportedFormat(.appleOnlyPNG)) {
      try PictureHeader.identify(apple)
    }
    var jpeg = try TestPictures.jpeg(8, 8)
    let frame = try #require(jpeg.indices.first { jpeg[$0...].starts(with: [0xFF, 0xC0]) })
    jpeg[frame + 4] = 12
    #expect(throws: PictureError.unsupportedFormat(.rareJPEG)) {
      try PictureHeader.identify(jpeg)
    }
    jpeg[frame + 1] = 0xC3
    jpeg[frame + 4] = 8
    #expect(throws: PictureError.unsupportedFormat(.rareJPEG)) {
      try PictureHeader.identify(jpeg)
    }
  }

  @Test("A JPEG of two frames is damaged: which would be decoded?")
  func twoFrames() throws {
    let jpeg = try TestPictures.jpeg(8, 8)
    let twice = TestMetadata.insert(
      0xC0, [8, 0, 1, 0, 1, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0], into: jpeg)
    #expect(throws: PictureError.damaged) { try PictureHeader.identify(twice) }
  }
}
