import Testing

@testable import ImageProcessing
@testable import Images

@Suite("Pictures of an album's photos")
struct PhotoKindTests {
  @Test("The photo itself is left alone: there are a medium picture and a thumb, in two formats")
  func files() throws {
    let bench = try Bench()
    let photo = try bench.process(TestPictures.jpeg(1_000, 700), as: .photo)
    #expect(photo.width == 1_000 && photo.height == 700)
    let id = photo.id
    #expect(
      bench.names == [
        "medium_\(id).jpg", "medium_\(id).webp", "thumb_\(id).jpg", "thumb_\(id).webp",
      ])
    #expect(try bench.decoded(.medium, of: photo).width == 800)
  }

  @Test("They are upright, 800 pixels wide at most after rotation", arguments: 1...8)
  func upright(orientation: Int) throws {
    let bench = try Bench()
    let file = TestMetadata.insert(
      exif: TestMetadata.exif(orientation: orientation), into: try TestPictures.jpeg(960, 1_280))
    let photo = try bench.process(file, as: .photo)
    let size = orientation >= 5 ? (1_280, 960) : (960, 1_280)
    #expect(photo.width == size.0 && photo.height == size.1)
    let order = try #require(OrientationTests.corners[orientation])
    let medium = try bench.decoded(.medium, of: photo)
    #expect(medium.width == 800 && medium.height == (size.1 * 800 + size.0 / 2) / size.0)
    for image in [medium, try bench.decoded(.thumb, of: photo)] {
      for (seen, corner) in zip(image.cornerColours, order) {
        #expect(alike(seen, opaque(TestPictures.corners[corner])))
      }
    }
  }

  @Test("A photo may have 100 megapixels, a picture of a post 50; neither more")
  func pixels() throws {
    let file = HandmadePNG.make(
      10_000, 6_000, depth: 1, type: 0,
      rows: [[UInt8]](repeating: [UInt8](repeating: 0, count: 1_250), count: 6_000))
    let bench = try Bench()
    #expect(try bench.process(file, as: .photo).width == 10_000)
    #expect(throws: PictureError.tooManyPixels) { try bench.process(file) }
    let more = HandmadePNG.make(10_001, 10_000, depth: 1, type: 0, rows: [[0]])
    #expect(throws: PictureError.tooManyPixels) { try bench.process(more, as: .photo) }
  }

  @Test("A post's picture of a large photo is half as wide and high, and upright")
  func post() throws {
    let bench = try Bench()
    let row = [UInt8](repeating: 0, count: 1_251)
    let large = HandmadePNG.make(
      10_001, 6_001, depth: 1, type: 0, rows: [[UInt8]](repeating: row, count: 6_001))
    let half = try bench.process(large, as: .photoPost)
    #expect(half.width == 5_001 && half.height == 3_001)
    #expect(try bench.decoded(.original, of: half).width == 5_001)
    #expect(try bench.decoded(.medium, of: half).width == 800)
    let turned = TestMetadata.insert(
      exif: TestMetadata.exif(orientation: 6), into: try TestPictures.jpeg(8_002, 6_401))
    let upright = try bench.process(turned, as: .photoPost)
    #expect(upright.width == 3_201 && upright.height == 4_001)
    #expect(try bench.decoded(.original, of: upright).width == 3_201)
  }

  @Test("A photo that is not too large for a post keeps its size")
  func samePost() throws {
    let bench = try Bench()
    let file = try TestPictures.jpeg(960, 1_280)
    let padded = file + [UInt8](repeating: 0, count: PictureLimits.bytes + 1 - file.count)
    for bytes in [file, padded] {
      let picture = try bench.process(bytes, as: .photoPost)
      #expect(picture.width == 960 && picture.height == 1_280)
    }
  }

  @Test("A large JPEG, as a HEIC file may become, can be the picture of a user")
  func avatar() throws {
    let bench = try Bench()
    let file = try TestPictures.jpeg(960, 1_280)
    let padded = file + [UInt8](repeating: 0, count: PictureLimits.bytes + 1 - file.count)
    #expect(throws: PictureError.tooManyBytes) { try bench.process(padded, as: .avatar) }
    #expect(try bench.process(padded, as: PictureKind.avatar.large).width == 960)
    #expect(bench.names.count == 2)
    #expect(PictureKind.allCases.allSatisfy { $0.large.limits.bytes == PictureLimits.photo.bytes })
  }

  @Test("A photo may have 30 MB, and no byte more")
  func bytes() throws {
    let photo = try TestPictures.png(40, 30)
    func padded(to count: Int) -> [UInt8] {
      photo + [UInt8](repeating: 0, count: count - photo.count)
    }
    let bench = try Bench()
    #expect(try bench.process(padded(to: PictureLimits.photo.bytes), as: .photo).width == 40)
    #expect(throws: PictureError.tooManyBytes) {
      try bench.process(padded(to: PictureLimits.photo.bytes + 1), as: .photo)
    }
  }
}
