import Testing

@testable import ImageProcessing
@testable import Images

@Suite("Colour profiles are kept")
struct ColourProfileTests {
  private func expect(_ profile: [UInt8]?, inAllFilesOf bench: Bench, count: Int) throws {
    #expect(bench.names.count == count)
    for name in bench.names {
      let kept = try Exiftool.profile(of: bench.stored.appending(path: name))
      #expect(kept == profile ?? [], "\(name)")
    }
  }

  @Test("A JPEG's profile is in every file, byte for byte")
  func jpeg() throws {
    let bench = try Bench()
    let profile = TestMetadata.swappedProfile()
    try bench.process(
      TestMetadata.insert(profile: profile, into: try TestPictures.jpeg(900, 400)))
    try expect(profile, inAllFilesOf: bench, count: 5)
  }

  @Test("A profile of several segments of any size is reassembled")
  func manySegments() throws {
    let bench = try Bench()
    let profile = TestMetadata.swappedProfile(size: 150_001)
    let file = TestMetadata.insert(
      profile: profile, into: try TestPictures.jpeg(64, 64), part: 40_000)
    try bench.process(file)
    try expect(profile, inAllFilesOf: bench, count: 5)
  }

  @Test("A PNG's profile is in every file, and in an avatar made of it")
  func png() throws {
    let profile = TestMetadata.swappedProfile()
    let file = HandmadePNG.insert(
      "iCCP", Array("name\0\0".utf8) + HandmadePNG.deflate(profile),
      into: try TestPictures.png(900, 400))
    let bench = try Bench()
    try bench.process(file)
    try expect(profile, inAllFilesOf: bench, count: 3)
    let avatar = try Bench()
    try avatar.process(file, as: .avatar)
    try expect(profile, inAllFilesOf: avatar, count: 2)
  }

  @Test("A WebP's profile is in every file, with and without transparency")
  func webp() throws {
    let profile = TestMetadata.swappedProfile(size: 601)
    let bench = try Bench()
    let plain = try TestPictures.webp(900, 400)
    try bench.process(
      TestMetadata.extend(plain, 900, 400, flags: 0x20, before: [("ICCP", profile)]))
    let transparent = try TestPictures.halfTransparent(64, 64)
    let lossless = TestPictures.take { gdLosslessWebP(transparent, $0) }
    try bench.process(
      TestMetadata.extend(lossless, 64, 64, flags: 0x30, before: [("ICCP", profile)]))
    try expect(profile, inAllFilesOf: bench, count: 6)
  }

  @Test("CMYK and grey pictures keep none: they become sRGB")
  func otherColours() throws {
    let profile = TestMetadata.swappedProfile()
    let bench = try Bench()
    try bench.process(TestMetadata.insert(profile: profile, into: ColourTests.cmyk()))
    try bench.process(TestMetadata.insert(profile: profile, into: ColourTests.greyJPEG()))
    try expect(nil, inAllFilesOf: bench, count: 10)
  }

  @Test("A profile for another kind of colour, a broken or a huge one is left out")
  func notKept() throws {
    let good = TestMetadata.swappedProfile()
    #expect(ColourProfile(good)?.bytes == good)
    var cmyk = good
    cmyk.replaceSubrange(16..<20, with: Array("CMYK".utf8))
    #expect(ColourProfile(cmyk) == nil)
    #expect(ColourProfile(Array(good.dropLast())) == nil)
    #expect(ColourProfile(Array("none".utf8)) == nil)
    #expect(ColourProfile([UInt8](repeating: 1, count: 5 << 20)) == nil)
    let bomb = HandmadePNG.deflate([UInt8](repeating: 0, count: 40 << 20))
    let header = PictureHeader(format: .png, width: 1, height: 1, profile: .compressed(bomb))
    #expect(ColourProfile(of: header) == nil)
  }

  @Test("A profile with a segment missing or doubled is left out, the picture is taken")
  func lostSegment() throws {
    let profile = TestMetadata.swappedProfile()
    let picture = try TestPictures.jpeg(16, 16)
    let mark = Array("ICC_PROFILE\0".utf8)
    for numbers in [[[1, 2]], [[1, 2], [1, 2]], [[0, 1]], [[2, 1]], [[1, 2], [2, 3]]] as [[[UInt8]]]
    {
      let file = numbers.reversed().reduce(picture) {
        TestMetadata.insert(0xE2, mark + $1 + profile, into: $0)
      }
      #expect(ColourProfile(of: try PictureHeader.identify(file)) == nil)
    }
  }
}
