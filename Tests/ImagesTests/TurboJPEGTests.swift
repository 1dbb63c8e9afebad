import Cturbojpeg
import Testing

@testable import ImageProcessing
@testable import Images

@Suite("JPEGs are decoded as little as needed")
struct TurboJPEGTests {
  static let subsamplings = [
    TJSAMP_444, TJSAMP_422, TJSAMP_420, TJSAMP_GRAY, TJSAMP_440, TJSAMP_411,
  ]

  @Test(
    "An original of odd size is right up to its edges, however its colours are stored",
    arguments: subsamplings, [1, 2, 4, 5, 6, 8])
  func original(subsampling: TJSAMP, orientation: Int) throws {
    let bench = try Bench()
    let file = TestMetadata.insert(
      exif: TestMetadata.exif(orientation: orientation),
      into: try TestPictures.jpeg(97, 65, subsampling))
    let image = try bench.decoded(.original, of: bench.process(file))
    let (width, height) = orientation >= 5 ? (65, 97) : (97, 65)
    #expect((image.width, image.height) == (width, height))
    let order = try #require(OrientationTests.corners[orientation])
    let edges = [(0, 0), (width - 1, 0), (0, height - 1), (width - 1, height - 1)]
    for ((x, y), corner) in zip(edges, order) {
      let wanted = opaque(TestPictures.corners[corner])
      #expect(
        alike(
          image.colour(x, y), subsampling == TJSAMP_GRAY ? Self.grey(of: wanted) : wanted,
          within: 20),
        "\(x), \(y)")
    }
  }

  /// ITU-R BT.601.
  private static func grey(of colour: [Int]) -> [Int] {
    let luminance = (299 * colour[0] + 587 * colour[1] + 114 * colour[2] + 500) / 1000
    return [luminance, luminance, luminance, 0]
  }

  @Test(
    "A picture is divided so far that each variant is still made smaller; 0 is not at all",
    arguments: [
      (PictureKind.post, 4000, 3000, 1, 4), (.photo, 4000, 3000, 1, 4), (.post, 1600, 1200, 1, 2),
      (.post, 1599, 1200, 1, 0), (.post, 12_000, 8000, 1, 8), (.post, 3000, 1600, 6, 2),
      (.post, 3000, 1599, 6, 0), (.post, 8000, 599, 1, 0), (.post, 8000, 600, 1, 2),
      (.avatar, 4000, 3000, 1, 2), (.avatar, 2047, 5000, 1, 0), (.avatar, 9000, 8192, 1, 8),
    ])
  func divisors(kind: PictureKind, width: Int, height: Int, orientation: Int, divisor: Int) throws {
    let header = PictureHeader(format: .jpeg, width: width, height: height)
    let turn = try #require(Orientation(rawValue: orientation))
    #expect((kind.divisor(of: header, turn) ?? 0) == divisor)
  }

  @Test("A picture decoded smaller is the one decoded whole and resized", arguments: [2, 4, 8])
  func smaller(divisor: Int) throws {
    let file = try TestPictures.jpeg(801, 607, TJSAMP_420)
    let header = try PictureHeader.identify(file)
    let reader = try #require(JPEGReader(file, as: header))
    let small = try reader.smaller(by: divisor)
    let whole = try GDDecoder.decode(file, as: header)
    #expect(small.width == (801 + divisor - 1) / divisor)
    #expect(small.height == (607 + divisor - 1) / divisor)
    let resized = try whole.resampled(
      from: Area(left: 0, top: 0, width: 801, height: 607), width: small.width,
      height: small.height)
    for (one, other) in zip(small.cornerColours, resized.cornerColours) {
      #expect(alike(one, other, within: 4))
    }
  }

  @Test("A damaged JPEG is refused by both ways of decoding", arguments: [300, 1000, 4000])
  func damaged(bytes: Int) throws {
    let file = Array(try TestPictures.jpeg(801, 607, TJSAMP_420).prefix(bytes))
    guard let header = try? PictureHeader.identify(file) else { return }
    let reader = try #require(JPEGReader(file, as: header))
    #expect(throws: PictureError.damaged) { try reader.smaller(by: 2) }
    #expect(throws: PictureError.damaged) { try reader.planes() }
  }
}
