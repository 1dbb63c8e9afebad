import Testing

@testable import ImageProcessing
@testable import Images

@Suite("Variants of a picture")
struct VariantTests {
  @Test("A JPEG is kept in three sizes, two of them as WebP as well")
  func jpeg() throws {
    let bench = try Bench()
    let picture = try bench.process(TestPictures.jpeg(1_000, 700))
    #expect(picture.width == 1_000 && picture.height == 700)
    #expect(picture.fileExtension == "jpg" && picture.hasWebP)
    let id = picture.id
    #expect(
      bench.names == [
        "medium_\(id).jpg", "medium_\(id).webp", "original_\(id).jpg", "thumb_\(id).jpg",
        "thumb_\(id).webp",
      ])
    for format in ["jpg", "webp"] {
      let medium = try bench.decoded(.medium, of: picture, as: format)
      #expect(medium.width == 800 && medium.height == 560)
      let thumb = try bench.decoded(.thumb, of: picture, as: format)
      #expect(thumb.width == 300 && thumb.height == 300)
    }
    #expect(try bench.decoded(.original, of: picture).width == 1_000)
  }

  @Test("PNG and GIF become PNG, WebP stays WebP, in three sizes")
  func others() throws {
    for (file, ending) in [
      (try TestPictures.png(900, 900), "png"), (try TestPictures.gif(900, 900), "png"),
      (try TestPictures.webp(900, 900), "webp"),
    ] {
      let bench = try Bench()
      let picture = try bench.process(file)
      let id = picture.id
      #expect(picture.fileExtension == ending && !picture.hasWebP)
      #expect(
        bench.names == ["medium", "original", "thumb"].map { "\($0)_\(id).\(ending)" })
      #expect(try bench.decoded(.medium, of: picture).width == 800)
    }
  }

  @Test("Nothing is enlarged: a small picture's thumb is its middle square")
  func small() throws {
    let bench = try Bench()
    let picture = try bench.process(TestPictures.png(120, 80))
    #expect(try bench.decoded(.medium, of: picture).width == 120)
    let thumb = try bench.decoded(.thumb, of: picture)
    #expect(thumb.width == 80 && thumb.height == 80)
  }

  @Test("A very wide or a very high picture has a thumb of its shorter side")
  func panoramas() throws {
    let bench = try Bench()
    let wide = try bench.process(TestPictures.jpeg(4_000, 200))
    #expect(try bench.decoded(.medium, of: wide).height == 40)
    #expect(try bench.decoded(.thumb, of: wide).width == 200)
    let line = try bench.process(TestPictures.png(2_000, 1))
    #expect(try bench.decoded(.medium, of: line).height == 1)
  }

  @Test("A JPEG too high for WebP has none")
  func tooHighForWebP() throws {
    let bench = try Bench()
    let picture = try bench.process(TestPictures.jpeg(20, 16_500))
    #expect(!picture.hasWebP && picture.height == 16_500)
    #expect(bench.names.count == 3)
  }

  @Test("An avatar is a square of at most 1,024 pixels and its thumb, as JPEG")
  func avatar() throws {
    let bench = try Bench()
    let picture = try bench.process(TestPictures.webp(1_500, 1_200), as: .avatar)
    #expect(picture.width == 1_024 && picture.height == 1_024)
    #expect(bench.names == ["original_\(picture.id).jpg", "thumb_\(picture.id).jpg"])
    #expect(try bench.decoded(.thumb, of: picture).width == 300)
    for (seen, corner) in zip(
      try bench.decoded(.original, of: picture).cornerColours, TestPictures.corners)
    {
      #expect(alike(seen, opaque(corner)))
    }
  }

  @Test("Of a moving GIF the first frame is kept, in its place on the screen")
  func firstFrame() throws {
    let small = try TestPictures.gif(20, 10)
    let descriptor = try #require(small.indices.first { $0 > 12 && small[$0] == 0x2C })
    var first = Array(small[descriptor...].dropLast())
    let second = first
    first.replaceSubrange(1..<5, with: [30, 0, 5, 0])
    var screen = Array(small[..<descriptor])
    screen.replaceSubrange(6..<10, with: [60, 0, 40, 0])
    let bench = try Bench()
    let picture = try bench.process(screen + first + second + [0x3B])
    #expect(picture.width == 60 && picture.height == 40)
    let image = try bench.decoded(.original, of: picture)
    #expect(image.colour(5, 5)[3] == 127)
    #expect(alike(image.colour(32, 6), opaque(TestPictures.corners[0])))
    #expect(alike(image.colour(48, 13), opaque(TestPictures.corners[3])))
  }
}
