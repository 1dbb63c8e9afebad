import Testing

@testable import PhotoMetadata

@Suite("Reading")
struct ReadingTests {
  private static let key = Handmade.text(PhotoStory.key)
  private static let prefix = "ai.album.story="

  private func jpeg(
    _ main: [(tag: Int, type: Int, value: [UInt8])] = [],
    exif: [(tag: Int, type: Int, value: [UInt8])] = [], big: Bool = false, more: [UInt8] = []
  ) -> [UInt8] {
    Handmade.jpeg(Handmade.exif(Handmade.tiff(main, exif: exif, big: big)) + more)
  }

  @Test("TIFF's mark makes a description the story; without it, it is a caption")
  func tiff() throws {
    let text = Handmade.text("於是 我們出發")
    let marked = try reading(jpeg([(0x010D, 2, Self.key), (0x010E, 2, text)]))
    #expect(marked.story == "於是 我們出發" && marked.caption == nil)
    let other = try reading(jpeg([(0x010D, 2, Handmade.text("scan 1")), (0x010E, 2, text)]))
    #expect(other.story == nil && other.caption == "於是 我們出發")
  }

  @Test("A comment behind our mark is read in each of its codes")
  func comment() throws {
    let text = Self.prefix + "è 👨‍👩‍👧"
    let utf8 = Array(text.utf8)
    let units = Array(text.utf16)
    let little: [UInt8] = units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    let big: [UInt8] = units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    let mark: [UInt8] = [0xFE, 0xFF]
    let unicode = Array("UNICODE\0".utf8)
    let codes: [[UInt8]] = [
      [UInt8](repeating: 0, count: 8) + utf8, Array("ASCII\0\0\0".utf8) + utf8,
      unicode + little, unicode + big, unicode + mark + big,
    ]
    for code in codes {
      for big in [false, true] {
        #expect(try reading(jpeg(exif: [(0x9286, 7, code)], big: big)).story == "è 👨‍👩‍👧")
      }
    }
    let jis = Array("JIS\0\0\0\0\0\(text)".utf8)
    #expect(try reading(jpeg(exif: [(0x9286, 7, jis)])).story == nil)
  }

  @Test("IPTC with our program name, and XMP in our namespace under any prefix")
  func others() throws {
    let records = Handmade.record(65, Array(PhotoStory.key.utf8)) + Handmade.record(120, [0x41])
    #expect(try reading(Handmade.jpeg(Handmade.iptc(records))).story == "A")
    #expect(
      try reading(Handmade.jpeg(Handmade.xmp("<own:story>a&#10;&lt;b</own:story>"))).story
        == "a\n<b")
    #expect(
      try reading(Handmade.jpeg(Handmade.xmp("<own:story><![CDATA[a<b]]></own:story>"))).story
        == "a<b")
    let attribute = Array(
      "<a xmlns:q='urn:pairspot:album:1.0#' q:story='x &quot; y'/>".utf8)
    #expect(try reading(Handmade.jpeg(Handmade.xmp(attribute))).story == "x \" y")
    let second = Handmade.xmp("") + Handmade.xmp("<own:story>late</own:story>")
    #expect(try reading(Handmade.jpeg(second)).story == "late")
  }

  @Test("The first marked place wins, and another text under our mark is offered too")
  func edited() throws {
    let source = try saved(PhotoStory("mine"), Handmade.jpeg())
    let parts = try PhotoParts.parse(source)
    let exif = Handmade.exif(
      Handmade.tiff([(0x010D, 2, Self.key), (0x010E, 2, Handmade.text("theirs"))]))
    var changed = source
    changed.insert(contentsOf: exif, at: 2)
    let found = try reading(changed)
    #expect(found.story == "theirs" && found.otherStory == "mine" && found.wasEditedElsewhere)
    #expect(parts.reading.otherStory == nil)
    // Saving it again resolves the conflict.
    let settled = try reading(saved(PhotoStory("theirs"), changed))
    #expect(settled.story == "theirs" && !settled.wasEditedElsewhere)
  }

  @Test("A long story of which only IPTC and XMP are left is not taken for edited")
  func cutCaption() throws {
    let story = try PhotoStory(String(repeating: "👨‍👩‍👧‍👦", count: 300))
    let source = Handmade.jpeg(
      Handmade.segment(0xED, JPEGParts.photoshopMark + IPTCBlock.resource(story))
        + Handmade.xmp(XMPPacket.make(story)))
    let found = try reading(source)
    #expect(found.story == story.text && found.otherStory == nil)
  }

  @Test("Captions come from every place, x-default first")
  func captions() throws {
    let xmp = Handmade.xmp(
      """
      <d:description><r:Alt><r:li xml:lang="de">Berg</r:li>
      <r:li xml:lang="x-default"> hill </r:li></r:Alt></d:description>
      """)
    #expect(try reading(Handmade.jpeg(xmp)).caption == "hill")
    #expect(
      try reading(Handmade.jpeg(Handmade.iptc(Handmade.record(120, [0x63, 0xE9])))).caption == "cé")
    #expect(
      try reading(jpeg([(0x9C9C, 1, [0x57, 0x5B, 0, 0])])).caption == "字")
    #expect(
      try reading(Handmade.jpeg(Handmade.segment(0xFE, Array("remark".utf8)))).caption == "remark")
    #expect(
      try reading(Handmade.png(Handmade.chunk("tEXt", Array("Description\0d\u{FC}".utf8)))).caption
        == "dü")
    let packed = Array("Comment\0\0".utf8) + (Deflate.pack(Array("zip".utf8)) ?? [])
    #expect(try reading(Handmade.png(Handmade.chunk("zTXt", packed))).caption == "zip")
    let international =
      Array("Description\0\u{1}\0zh\0\0".utf8) + (Deflate.pack(Array("字".utf8)) ?? [])
    #expect(try reading(Handmade.png(Handmade.chunk("iTXt", international))).caption == "字")
  }

  @Test(
    "Default texts of cameras are no caption",
    arguments: [
      "OLYMPUS DIGITAL CAMERA         ", "SONY DSC", "DCIM\\100MEDIA\\DJI_0001.JPG", "    ",
      "Minolta DIGITAL CAMERA",
    ])
  func junk(text: String) throws {
    #expect(try reading(jpeg([(0x010E, 2, Handmade.text(text))])).caption == nil)
  }

  @Test("Big5 is nothing that can be shown; control characters are taken out")
  func bytes() throws {
    #expect(try reading(jpeg([(0x010E, 2, [0xA4, 0x80, 0xA4, 0xE5, 0x9F, 0])])).caption == nil)
    #expect(
      try reading(jpeg([(0x010E, 2, Handmade.text("a\u{1B}[31mb\r\nc"))])).caption == "a[31mb\nc")
    let bad: [UInt8] = [0x61, 0xFF, 0xFE, 0x80, 0]
    #expect(try reading(jpeg([(0x010D, 2, Self.key), (0x010E, 2, bad)])).story == nil)
  }

  @Test("The date taken, with its zone where the camera knew it")
  func taken() throws {
    let date = Handmade.text("2026:11:21 09:30:05")
    let found = try reading(jpeg(exif: [(0x9003, 2, date), (0x9011, 2, Handmade.text("-09:30"))]))
    #expect(found.taken?.localTime == "2026-11-21T09:30:05" && found.taken?.offset == -570)
    for blank in ["0000:00:00 00:00:00", "    :  :     :  :  ", "2026:13:01 00:00:00", "yesterday"]
    {
      #expect(try reading(jpeg(exif: [(0x9003, 2, Handmade.text(blank))])).taken == nil)
    }
  }

  @Test("Gain maps, motion clips and further pictures are reported, and dropped")
  func extras() throws {
    let source = Handmade.jpeg(
      Handmade.segment(0xE2, Array("MPF\0".utf8) + [1])
        + Handmade.xmp("<q xmlns:hdrgm='http://ns.adobe.com/hdr-gain-map/1.0/'/>"),
      after: Array("\0\0\0\u{18}ftypmp42".utf8))
    #expect(
      try reading(source).properties.extras == [.furtherPictures, .gainMap, .motionClip])
    #expect(try reading(saved(nil, source)).properties.extras == [])
  }
}
