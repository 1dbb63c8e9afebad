import Testing

@testable import ImageProcessing
@testable import Images

@Suite("Pictures are upright")
struct OrientationTests {
  /// The file's corners at the top left, top right, bottom left, bottom right after rotation (Exif
  /// 3.0, tag 0x0112).
  static let corners: [Int: [Int]] = [
    1: [0, 1, 2, 3], 2: [1, 0, 3, 2], 3: [3, 2, 1, 0], 4: [2, 3, 0, 1], 5: [0, 2, 1, 3],
    6: [2, 0, 3, 1], 7: [3, 1, 2, 0], 8: [1, 3, 0, 2],
  ]

  private func expectUpright(_ file: [UInt8], _ orientation: Int, of size: (Int, Int)) throws {
    let bench = try Bench()
    let picture = try bench.process(file)
    let swaps = orientation >= 5
    #expect(picture.width == (swaps ? size.1 : size.0))
    #expect(picture.height == (swaps ? size.0 : size.1))
    let order = try #require(Self.corners[orientation])
    for variant in PictureVariant.allCases {
      let image = try bench.decoded(variant, of: picture)
      for (seen, corner) in zip(image.cornerColours, order) {
        #expect(alike(seen, opaque(TestPictures.corners[corner])), "\(variant)")
      }
    }
  }

  @Test("A JPEG of each orientation is turned", arguments: 1...8)
  func jpeg(orientation: Int) throws {
    let file = TestMetadata.insert(
      exif: TestMetadata.exif(orientation: orientation), into: try TestPictures.jpeg(96, 64))
    try expectUpright(file, orientation, of: (96, 64))
  }

  @Test("A PNG is turned as its eXIf says", arguments: [3, 6, 8])
  func png(orientation: Int) throws {
    let file = HandmadePNG.insert(
      "eXIf", TestMetadata.exif(orientation: orientation), into: try TestPictures.png(96, 64))
    try expectUpright(file, orientation, of: (96, 64))
  }

  @Test("A WebP is turned as its EXIF chunk says", arguments: [3, 6, 8])
  func webp(orientation: Int) throws {
    let file = TestMetadata.extend(
      try TestPictures.webp(96, 64), 96, 64, flags: 8,
      after: [("EXIF", TestMetadata.exif(orientation: orientation))])
    try expectUpright(file, orientation, of: (96, 64))
  }

  @Test("Cameras' files of all eight orientations come out alike", arguments: 2...8)
  func cameras(orientation: Int) throws {
    let bench = try Bench()
    let upright = try bench.decoded(
      .original, of: bench.process(CameraSamples.read("samples/f1-exif.jpg")))
    let turned = try bench.decoded(
      .original, of: bench.process(CameraSamples.read("samples/f\(orientation)-exif.jpg")))
    #expect(turned.width == upright.width && turned.height == upright.height)
    var different = 0
    for y in 0..<upright.height {
      for x in 0..<upright.width where !alike(turned.colour(x, y), upright.colour(x, y), within: 90)
      {
        different += 1
      }
    }
    #expect(different < upright.width * upright.height / 50)
  }

  @Test("An orientation that means nothing is upright", arguments: [0, 9, 255])
  func nonsense(value: Int) throws {
    #expect(Orientation(exif: TestMetadata.exif(orientation: value)) == .upright)
  }

  @Test("A broken block of EXIF is upright")
  func broken() {
    let block = TestMetadata.exif(orientation: 6)
    #expect(Orientation(exif: block) == .quarterRight)
    #expect(Orientation(exif: []) == .upright)
    #expect(Orientation(exif: Array(block.prefix(9))) == .upright)
    #expect(Orientation(exif: Array("nonsense at all".utf8)) == .upright)
  }

  @Test("A big picture is turned whole, at its edges too")
  func edges() throws {
    let image = try TestPictures.image(131, 67)
    let turned = try image.turned(by: .quarterRight)
    #expect(turned.width == 67 && turned.height == 131)
    for (x, y) in [(0, 0), (130, 0), (0, 66), (130, 66), (64, 33), (65, 32)] {
      #expect(turned.colour(66 - y, x) == image.colour(x, y))
    }
  }
}
