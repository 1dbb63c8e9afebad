import Testing

@testable import ImageProcessing
@testable import Images

@Suite("Header reading survives anything")
struct HeaderFuzzTests {
  /// Pseudo-random; the same sequence in each run.
  struct SeededRandom: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state ^ (state >> 29)) &* 0x9E37_79B9_7F4A_7C15
    }
  }

  static func mutate(_ bytes: [UInt8], _ dice: inout SeededRandom) -> [UInt8] {
    var result = bytes
    for _ in 0..<Int.random(in: 1...6, using: &dice) where !result.isEmpty {
      // Most bytes that matter to a header parser are near the beginning.
      let reach = Bool.random(using: &dice) ? min(result.count, 80) : result.count
      let place = Int.random(in: 0..<reach, using: &dice)
      switch Int.random(in: 0..<5, using: &dice) {
      case 0: result[place] = UInt8.random(in: 0...255, using: &dice)
      case 1: result[place] = [0, 0xFF, 0x7F, 0x80].randomElement(using: &dice) ?? 0
      case 2: result.removeSubrange(place...)
      case 3: result.insert(UInt8.random(in: 0...255, using: &dice), at: place)
      default: result.remove(at: place)
      }
    }
    return result
  }

  static func seeds() throws -> [[UInt8]] {
    let profile = TestMetadata.swappedProfile()
    let jpeg = TestMetadata.insert(
      profile: profile,
      into: TestMetadata.insert(
        exif: TestMetadata.exif(orientation: 6), into: try TestPictures.jpeg(24, 16)))
    let png = HandmadePNG.insert(
      "iCCP", Array("a\0\0".utf8) + HandmadePNG.deflate(profile),
      into: try TestPictures.png(24, 16))
    let webp = TestMetadata.extend(
      try TestPictures.webp(24, 16), 24, 16, flags: 0x28, before: [("ICCP", profile)],
      after: [("EXIF", TestMetadata.exif(orientation: 3))])
    return [
      jpeg, png, webp, try TestPictures.webp(24, 16, quality: 101), try TestPictures.gif(9, 9),
    ]
  }

  @Test("Thousands of broken files are identified or refused, never a crash")
  func mutations() throws {
    var dice = SeededRandom(state: 20_260_101)
    var (taken, refused) = (0, 0)
    for seed in try Self.seeds() {
      for _ in 0..<1_000 {
        do throws(PictureError) {
          let header = try PictureHeader.identify(Self.mutate(seed, &dice))
          #expect(header.width * header.height <= PictureLimits.pixels)
          _ = ColourProfile(of: header)
          _ = Orientation(exif: header.exif)
          taken += 1
        } catch {
          refused += 1
        }
      }
    }
    #expect(taken > 100 && refused > 100)
  }

  @Test("Random bytes behind each format's mark are refused or identified")
  func garbage() throws {
    var dice = SeededRandom(state: 7)
    for start in try Self.seeds().map({ $0.prefix(12) }) {
      for length in 0..<200 {
        let noise = (0..<length).map { _ in UInt8.random(in: 0...255, using: &dice) }
        _ = try? PictureHeader.identify(start + noise)
      }
    }
  }

  @Test("A file cut anywhere in its header is refused as damaged")
  func cuts() throws {
    for seed in try Self.seeds() {
      for length in 12..<min(seed.count - 1, 400) {
        #expect(throws: PictureError.self) {
          let header = try PictureHeader.identify(Array(seed.prefix(length)))
          // A JPEG's header is complete at the start of its scan.
          if header.format == .jpeg { throw PictureError.damaged }
        }
      }
    }
  }

  @Test("Broken files kill no more than their child")
  func throughTheChild() throws {
    var dice = SeededRandom(state: 99)
    let bench = try Bench()
    for seed in try Self.seeds() {
      for _ in 0..<8 {
        let error = try bench.rejection(Self.mutate(seed, &dice))
        if case .failed(let reason) = error { Issue.record("\(reason)") }
      }
    }
    #expect(bench.names.allSatisfy { !$0.hasPrefix(".") })
  }
}
