import Testing

@testable import PhotoMetadata

@Suite("Writing")
struct WritingTests {
  static let story = "第一行\n<Zeile> & \"zwei\"\t👨‍👩‍👧‍👦 한국어 עברית"

  @Test("A JPEG's segments are in order, and the rest is gone")
  func order() throws {
    let profile = Handmade.segment(0xE2, Array("ICC_PROFILE\0\u{1}\u{1}77".utf8))
    let adobe = Handmade.segment(0xEE, Array("Adobe\0d\0\0\0\0\u{1}".utf8))
    let extended = Handmade.segment(
      0xE1, Array("http://ns.adobe.com/xmp/extension/\0abc".utf8))
    let camera = Handmade.exif(Handmade.tiff([(0x0110, 2, Handmade.text("Camera X"))]))
    let before = [
      Handmade.segment(0xFE, Array("remark".utf8)), Handmade.jfif, profile, camera,
      Handmade.xmp(""), Handmade.xmp(""), extended, adobe,
      Handmade.segment(0xE5, Array("secret".utf8)),
    ]
    let filled: [UInt8] = [0xFF, 0xFF]
    let source = Handmade.jpeg(
      before.flatMap { $0 }, between: filled + Handmade.segment(0xFE, Array("hidden".utf8)),
      after: Array("trailer".utf8))
    let new = try saved(PhotoStory(Self.story), source)
    var markers: [UInt8] = []
    let end = try JPEGSegments.walk(new) { markers.append($0.marker) }
    #expect(
      markers == [0xE0, 0xE1, 0xE1, 0xED, 0xE2, 0xEE, 0xDB, 0xC0, 0xDA, 0xDA])
    #expect(end == new.count)
    for word in ["Camera X", "remark", "secret", "hidden", "trailer", "extension"] {
      #expect(!ByteSearch.contains(word, in: new), "\(word)")
    }
    // The JFIF segment's thumbnail of one pixel, too.
    let jfif = Array("JFIF\0\u{1}\u{2}\u{1}\0H\0H\0\0".utf8)
    #expect(new[2...].starts(with: Handmade.segment(0xE0, jfif)))
  }

  @Test("A JPEG without JFIF gets none, and one that is stripped keeps nothing needless")
  func bare() throws {
    let source = Handmade.jpeg(Handmade.exif(Handmade.tiff([(0x0112, 3, [1, 0])])))
    #expect(try saved(nil, source) == Handmade.jpeg())
    #expect(try saved(nil, Handmade.jpeg(Handmade.jfif)).count == Handmade.jpeg().count + 18)
  }

  @Test("Each orientation stays, with a story and without", arguments: 1...8, [false, true])
  func orientation(value: Int, big: Bool) throws {
    let bytes = big ? [0, UInt8(value)] : [UInt8(value), 0]
    let block = Handmade.tiff([(0x0112, 3, bytes)], big: big)
    for source in [
      Handmade.jpeg(Handmade.exif(block)), Handmade.png(Handmade.chunk("eXIf", block)),
    ] {
      for story in [nil, try PhotoStory("x")] {
        let new = try saved(story, source)
        #expect(try reading(new).properties.orientation == value)
        #expect(try saved(story, new) == new)
      }
    }
  }

  @Test("Colours by the camera rules of Adobe RGB stay without a story")
  func adobeRGB() throws {
    var block = Handmade.tiff([], exif: [(0xA001, 3, [0xFF, 0xFF]), (0xA005, 4, [0, 0, 0, 0])])
    let place = block.count - 8
    block.replaceSubrange(place..<(place + 4), with: [UInt8(block.count), 0, 0, 0])
    block += [1, 0, 1, 0, 2, 0, 4, 0, 0, 0]
    block += Array("R03\0\0\0\0\0".utf8)
    let parts = try PhotoParts.parse(Handmade.jpeg(Handmade.exif(block)))
    try #require(parts.exif?.isAdobeRGB == true)
    let new = try PhotoParts.parse(saved(nil, Handmade.jpeg(Handmade.exif(block))))
    #expect(new.exif?.isAdobeRGB == true && new.exif?.colourSpace == 0xFFFF)
  }

  @Test("A PNG's chunks are in order, and the rest is gone")
  func png() throws {
    let before = [
      Handmade.chunk("gAMA", [0, 0, 1, 2]), Handmade.chunk("tEXt", Array("Author\0me".utf8)),
      Handmade.chunk("tIME", [7, 0, 1, 1, 1, 1, 1]), Handmade.chunk("acTL", [0, 0, 0, 1]),
      Handmade.chunk("prVt", [1]),
    ]
    let source = Handmade.png(before.flatMap { $0 }, after: Array("trailer".utf8))
    let new = try saved(PhotoStory(Self.story), source)
    var types: [String] = []
    try PNGChunks.walk(new) { types.append($0.type) }
    #expect(
      types == [
        "IHDR", "iTXt", "iTXt", "iTXt", "eXIf", "zTXt", "gAMA", "acTL", "IDAT", "IEND",
      ])
    #expect(!ByteSearch.contains("trailer", in: new) && !ByteSearch.contains("Author", in: new))
    #expect(try saved(nil, Handmade.png()) == Handmade.png())
  }

  @Test(
    "The longest stories come back from every place",
    arguments: [
      String(repeating: "字", count: 300), String(repeating: "👨‍👩‍👧‍👦", count: 300),
      String(repeating: "&", count: 300), String(repeating: "\u{10FFFD}\u{0323}", count: 300),
      "a" + String(repeating: "\u{0323}", count: 3_999), story,
    ])
  func everywhere(text: String) throws {
    let story = try PhotoStory(text)
    for source in [Handmade.jpeg(Handmade.jfif), Handmade.png()] {
      let parts = try PhotoParts.parse(saved(story, source))
      #expect(parts.exif?.description == story.text)
      #expect(parts.exif?.commentStory == story.text)
      #expect(parts.iptc?.caption == IPTCBlock.cut(story.text))
      #expect(parts.packets.first?.story == story.text)
      #expect(parts.packets.first?.description == story.text)
      #expect(parts.reading.story == story.text)
      #expect(!parts.reading.wasEditedElsewhere && parts.reading.caption == nil)
      if parts.format == .png { #expect(parts.texts[PhotoStory.key] == story.text) }
    }
  }

  @Test("IPTC's caption is cut at a character's end, at 2,000 bytes with the sign")
  func cut() {
    #expect(IPTCBlock.cut(String(repeating: "a", count: 2_000)).count == 2_000)
    let cut = IPTCBlock.cut(String(repeating: "👨‍👩‍👧‍👦", count: 300))
    #expect(cut.utf8.count <= 2_000 && cut.hasSuffix("👨‍👩‍👧‍👦…"))
    #expect(IPTCBlock.cut("a" + String(repeating: "\u{0323}", count: 3_000)) == "…")
  }
}
