import Foundation
import Testing

@testable import PhotoMetadata

/// `PAIRSPOT_FUZZ_ROUNDS` sets more rounds (`make fuzz`).
@Suite("Photo readers survive anything")
struct PhotoFuzzTests {
  private let rounds =
    ProcessInfo.processInfo.environment["PAIRSPOT_FUZZ_ROUNDS"].flatMap { Int($0) } ?? 1_500

  /// Pseudo-random; the same sequence in each run of the same length.
  private struct SeededRandom: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state ^ (state >> 29)) &* 0x9E37_79B9_7F4A_7C15
    }
  }

  private static func seeds() throws -> [[UInt8]] {
    let story = try PhotoStory("故事 👨‍👩‍👧 & <x>\n")
    let camera = Handmade.exif(
      Handmade.tiff(
        [(0x010E, 2, Handmade.text("a caption")), (0x0112, 3, [0, 6])],
        exif: [
          (0x9003, 2, Handmade.text("2026:11:21 09:30:05")),
          (0x9286, 7, Array("UNICODE\0abcd".utf8)),
        ], big: true))
    let jpeg = Handmade.jpeg(
      Handmade.jfif + camera + Handmade.xmp("<d:description>x</d:description>")
        + Handmade.iptc(Handmade.record(120, Array("caption".utf8))))
    let texts = Handmade.chunk("tEXt", Array("Comment\0hello".utf8))
    return [
      jpeg, try saved(story, jpeg), try saved(story, Handmade.png()), Handmade.png(texts),
    ]
  }

  private static func mutate(_ bytes: [UInt8], _ seeds: [[UInt8]], _ dice: inout SeededRandom)
    -> [UInt8]
  {
    var result = bytes
    for _ in 0..<Int.random(in: 1...5, using: &dice) where result.count > 8 {
      let place = Int.random(in: 3..<result.count, using: &dice)
      switch Int.random(in: 0..<7, using: &dice) {
      case 0: result[place] = UInt8.random(in: 0...255, using: &dice)
      case 1: result[place] = [0, 0xFF, 0x7F, 0x80, 0xD9, 0x1C].randomElement(using: &dice) ?? 0
      case 2: result[place] ^= 1 << UInt8.random(in: 0...7, using: &dice)
      case 3: result.removeSubrange(place..<min(result.count, place + 4))
      case 4: result.insert(contentsOf: [0xFF, 0xE1, 0, 4, 0, 0], at: place)
      case 5: result.removeSubrange(place...)
      default:
        guard let other = seeds.randomElement(using: &dice), place < other.count else { continue }
        result.replaceSubrange(place..., with: other[place...])
      }
    }
    return result
  }

  @Test("Broken files give an error or a result, and saved files are read back")
  func mutations() throws {
    var dice = SeededRandom(state: 20_261_121)
    let seeds = try Self.seeds()
    let story = try PhotoStory("after")
    var (taken, refused) = (0, 0)
    for round in 0..<rounds {
      var bytes = Self.mutate(seeds[round % seeds.count], seeds, &dice)
      // With a wrong checksum most broken chunks of a PNG would not be parsed.
      if round % 2 == 0 { bytes = Self.mendChecksums(bytes) }
      guard let parts = try? PhotoParts.parse(bytes) else {
        refused += 1
        continue
      }
      taken += 1
      _ = parts.reading
      for text in [story, nil] {
        let new = try PhotoAssembly(text, parts, bytes)
        let whole = try PhotoParts.parse(new.pieces.flatMap { $0.bytes[$0.range] })
        #expect(Verification.matches(whole, new), "round \(round)")
        // The content read back without pixels parses to the same.
        let comparableContent = try PhotoParts.parse(
          new.pieces.filter { !$0.isBulk }.flatMap { $0.bytes[$0.range] })
        #expect(Verification.matches(comparableContent, new), "round \(round)")
        #expect(comparableContent.reading == whole.reading, "round \(round)")
      }
    }
    #expect(taken > rounds / 20 && refused > rounds / 20)
  }

  @Test("The small readers take random bytes")
  func garbage() {
    var dice = SeededRandom(state: 7)
    let starts: [[UInt8]] = [
      Array("II*\0\u{8}\0\0\0".utf8), Array("8BIM\u{4}\u{4}\0\0".utf8), [0x1C, 2, 120],
      Array("<a b='".utf8), [],
    ]
    for _ in 0..<rounds {
      var bytes = starts.randomElement(using: &dice) ?? []
      for _ in 0..<Int.random(in: 0..<120, using: &dice) {
        bytes.append(
          Bool.random(using: &dice)
            ? UInt8.random(in: 0...255, using: &dice)
            : Array("<>/=&;'\"#x:8BIM\0".utf8).randomElement(using: &dice) ?? 0)
      }
      if let block = TIFFBlock(bytes) {
        _ = (block.orientation, block.commentStory, block.oldComment, block.windowsComment)
        _ = (block.oldDescription, block.taken, block.isAdobeRGB)
      }
      _ = IPTCBlock(resources: bytes)
      _ = XMPPacket(Array(bytes.map { $0 & 0x7F })[...])
      for type in ["tEXt", "zTXt", "iTXt"] { _ = PNGText(type, bytes, 0..<bytes.count)?.string }
      _ = PNGText.profile(bytes)
      _ = Deflate.unpack(bytes[...])
      _ = UnsupportedPhoto(bytes)
    }
  }

  private static func mendChecksums(_ bytes: [UInt8]) -> [UInt8] {
    var result = bytes
    try? PNGChunks.walk(bytes) { chunk in
      let type = chunk.type
      result.replaceSubrange(chunk.whole, with: PNGChunks.make(type, Array(bytes[chunk.content])))
    }
    return result
  }
}
