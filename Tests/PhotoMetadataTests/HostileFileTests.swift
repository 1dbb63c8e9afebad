import Testing

@testable import PhotoMetadata

@Suite("Hostile files are refused or understood, never believed")
struct HostileFileTests {
  private func rejection(_ bytes: [UInt8]) -> PhotoError? {
    do throws(PhotoError) {
      _ = try PhotoParts.parse(bytes)
      return nil
    } catch {
      return error
    }
  }

  @Test("A JPEG or PNG cut anywhere is damaged")
  func cuts() {
    for whole in [
      Handmade.jpeg(Handmade.jfif), Handmade.png(Handmade.chunk("gAMA", [0, 0, 1, 1])),
    ] {
      for length in 8..<(whole.count - 1) {
        #expect(rejection(Array(whole.prefix(length))) == .read(.damaged), "\(length)")
      }
    }
    #expect(rejection([]) == .format(.unknown))
  }

  @Test("Lengths that are too small or reach past the end")
  func lengths() {
    for length: [UInt8] in [[0, 0], [0, 1], [0xFF, 0xFF]] {
      let mark: [UInt8] = [0xFF, 0xE1]
      #expect(rejection(Handmade.jpeg(mark + length)) == .read(.damaged))
    }
    for length: [UInt8] in [[0xFF, 0xFF, 0xFF, 0xFF], [0x7F, 0xFF, 0xFF, 0xFF], [0, 1, 0, 0]] {
      #expect(rejection(Handmade.png(length + Array("tEXt".utf8))) == .read(.damaged))
    }
  }

  @Test("An end inside a segment, a thumbnail or behind the picture is no end")
  func falseEnds() throws {
    let inside = Handmade.segment(0xE1, [0xFF, 0xD9, 0xFF, 0xD8])
    let file = Handmade.jpeg(inside, after: Handmade.jpeg())
    #expect(try saved(nil, file) == Handmade.jpeg())
  }

  @Test("A JPEG without a frame, with two, or without a scan")
  func structure() {
    #expect(rejection(Handmade.jpeg(frame: [])) == .read(.damaged))
    #expect(rejection(Handmade.jpeg(Handmade.frame())) == .read(.damaged))
    #expect(
      rejection(Array(Handmade.jpeg().prefix(2)) + Handmade.frame() + Handmade.end)
        == .read(.damaged))
    #expect(rejection(Handmade.jpeg(between: [0xFF, 0xD8])) == .read(.damaged))
    #expect(rejection(Handmade.jpeg(frame: Handmade.frame(marker: 0xC3))) == .format(.rareJPEG))
    #expect(rejection(Handmade.jpeg(frame: Handmade.frame(16, 0))) == .format(.rareJPEG))
    #expect(rejection(Handmade.jpeg(frame: Handmade.frame(0, 16))) == .read(.damaged))
    #expect(rejection(Handmade.jpeg(frame: Handmade.frame(components: 4))) == nil)
    #expect(rejection(Handmade.jpeg(frame: Handmade.frame(components: 5))) == .read(.damaged))
    #expect(rejection(Handmade.jpeg(frame: Handmade.frame(marker: 0xC2))) == nil)
  }

  @Test("60,000 by 60,000 pixels are refused from the header")
  func bombs() {
    #expect(
      rejection(Handmade.jpeg(frame: Handmade.frame(60_000, 60_000))) == .read(.tooManyPixels))
    #expect(
      rejection(Handmade.png(header: Handmade.header(60_000, 60_000))) == .read(.tooManyPixels))
    #expect(
      rejection(Handmade.png(header: Handmade.header(0x7FFF_FFFF, 0x7FFF_FFFF)))
        == .read(.tooManyPixels))
    #expect(rejection(Handmade.png(header: Handmade.header(0, 4))) == .read(.damaged))
  }

  @Test("Thousands of segments and chunks are walked; thousands of pieces to keep are not")
  func thousands() throws {
    let empty = Handmade.segment(0xFE, [])
    let many = Handmade.jpeg((0..<20_000).flatMap { _ in empty })
    #expect(try saved(nil, many) == Handmade.jpeg())
    let alternating = empty + Handmade.segment(0xDD, [0, 0])
    #expect(
      rejection(Handmade.jpeg((0..<70_000).flatMap { _ in alternating })) == .read(.damaged))
    let chunk = Handmade.chunk("tEXt", [])
    #expect(
      try saved(nil, Handmade.png((0..<20_000).flatMap { _ in chunk })) == Handmade.png())
  }

  @Test("Directories that point at themselves, past the end, or count to the moon")
  func tiff() throws {
    var circle = Handmade.tiff([(0x0112, 3, [6, 0])], exif: [(0xA001, 3, [1, 0])])
    circle.replaceSubrange(30..<34, with: [8, 0, 0, 0])
    #expect(TIFFBlock(circle)?.orientation == 6)
    for start: [UInt8] in [
      [0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 0], [4, 0, 0, 0], [255, 0, 0, 0],
    ] {
      let block = Array("II*\0".utf8) + start
      #expect(TIFFBlock(block).map { $0.orientation == nil } == true)
    }
    let huge: [UInt8] = [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0, 0xFF, 0xFF, 0x0E, 1, 2, 0]
    let block = huge + [UInt8](repeating: 0xFF, count: 8)
    #expect(TIFFBlock(block)?.description == nil)
    #expect(TIFFBlock(Handmade.tiff([(0x0112, 3, [9, 0])]))?.orientation == nil)
    #expect(TIFFBlock([0x49, 0x49]) == nil)
  }

  @Test("A wrong checksum is damage where the picture needs the chunk, and no text elsewhere")
  func checksums() throws {
    for type in ["IDAT", "gAMA", "iCCP", "fdAT"] {
      var chunk = Handmade.chunk(type, [1, 2, 3, 4])
      chunk[chunk.count - 1] ^= 1
      #expect(rejection(Handmade.png(chunk)) == .read(.damaged), "\(type)")
    }
    var text = Handmade.chunk("tEXt", Array("Comment\0hello".utf8))
    text[text.count - 1] ^= 1
    #expect(try reading(Handmade.png(text)).caption == nil)
    #expect(try saved(nil, Handmade.png(text)) == Handmade.png())
  }

  @Test("A PNG without its end, with two headers, an unknown critical chunk, or Apple's own")
  func png() {
    #expect(rejection(Handmade.png(end: [])) == .read(.damaged))
    #expect(rejection(Handmade.png(end: Handmade.chunk("IEND", [1]))) == .read(.damaged))
    #expect(rejection(Handmade.png(Handmade.header())) == .read(.damaged))
    #expect(rejection(Handmade.png(Handmade.chunk("ABCD", []))) == .read(.damaged))
    #expect(rejection(Handmade.png(Handmade.chunk("a1CD", []))) == .read(.damaged))
    #expect(
      rejection(Handmade.png(header: Handmade.chunk("CgBI", [0, 0, 0, 0]) + Handmade.header()))
        == .format(.appleOnlyPNG))
    #expect(
      rejection(PhotoFormat.pngMark + Handmade.header() + Handmade.chunk("IEND", []))
        == .read(.damaged))
  }

  @Test("A text that unpacks to a gigabyte is left alone")
  func zipBomb() throws {
    let packed = Deflate.pack([UInt8](repeating: 65, count: 4 << 20)) ?? []
    try #require(packed.count < 10_000)
    let bomb = Handmade.chunk("zTXt", Array("Comment\0\0".utf8) + packed)
    #expect(try reading(Handmade.png(bomb)).caption == nil)
    // Of texts just below the limit no more than 64 are unpacked: a later text is not read.
    let large = Deflate.pack([UInt8](repeating: 65, count: 1_000_000)) ?? []
    let text = Handmade.chunk("zTXt", Array("Filler\0\0".utf8) + large)
    let caption = Handmade.chunk("tEXt", Array("Comment\0Behind them".utf8))
    for (count, read) in [(63, "Behind them"), (64, nil), (5_000, nil)] {
      let texts = (0..<count).flatMap { _ in text }
      #expect(try reading(Handmade.png(texts + caption)).caption == read, "\(count)")
    }
  }

  @Test("A row of thousands of flags is cut without looking at all of it again and again")
  func flags() throws {
    let text = String(repeating: "\u{1F1F9}\u{1F1FC}", count: 7_000)
    let source = Handmade.jpeg(Handmade.exif(Handmade.tiff([(0x010E, 2, Handmade.text(text))])))
    #expect(try reading(source).caption?.count == 1_000)
    // Reading the whole text again for each of them would take days.
    let draft = String(repeating: "\u{1F1F9}\u{1F1FC}", count: 1_000_000)
    #expect(PhotoStory(draft: draft)?.text.count == 300)
  }

  @Test(
    "Broken XMP says nothing",
    arguments: [
      "<own:story>a", "<own:story>&bad;</own:story>", "<own:story>&#xD800;</own:story>",
      "<!DOCTYPE a [<!ENTITY b 'c'>]><own:story>x</own:story>", "<own:story", "<own:story =", "<",
      "</x></x></x></x></x><own:story>x</own:story>", "<own:story>&#99999999999;</own:story>",
    ])
  func xmp(inside: String) throws {
    #expect(try reading(Handmade.jpeg(Handmade.xmp(inside))).story == nil)
  }

  @Test("XMP with a byte order mark is read; with bytes that aren't UTF-8 it is not")
  func xmpBytes() throws {
    let story = try PhotoStory("x")
    let packet = XMPPacket.make(story)
    let marked = Array("\u{FEFF}".utf8) + packet
    #expect(XMPPacket(marked[...])?.story == "x")
    let broken = packet + [0xFF]
    #expect(XMPPacket(broken[...]) == nil)
    #expect(XMPPacket([UInt8](repeating: 0x3C, count: 2 << 20)[...]) == nil)
  }

  @Test("XMP in UTF-16 is read in both byte orders, with a mark or without; half of a pair is not")
  func xmpUTF16() throws {
    let text = "於是 👨‍👩‍👧‍👦 & <b>"
    let packet = String(decoding: XMPPacket.make(try PhotoStory(text)), as: UTF8.self)
    for (mark, big) in [("", true), ("", false), ("\u{FEFF}", true), ("\u{FEFF}", false)] {
      let bytes = (mark + packet).utf16.flatMap { unit -> [UInt8] in
        let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
        return big ? [high, low] : [low, high]
      }
      let found = try reading(Handmade.jpeg(Handmade.xmp(bytes)))
      #expect(found.story == text && found.caption == nil)
      let broken = bytes + (big ? [0xD8, 0x3D] : [0x3D, 0xD8])
      #expect(XMPPacket(broken[...]) == nil)
    }
  }

  @Test("IPTC with wrong lengths yields the records before")
  func iptc() {
    let good = Handmade.record(65, Array("p".utf8))
    for bad: [UInt8] in [
      [0x1C, 2, 120, 0xFF, 0xFF], [0x1C, 2, 120, 0x80, 4, 0xFF, 0xFF, 0xFF, 0xFF],
      [0x1C, 2, 120, 0x80, 9], [0x1C], [7, 7, 7],
    ] {
      let block = IPTCBlock(resources: good + bad)
      #expect(block?.program == "p" && block?.caption == nil)
    }
    #expect(IPTCBlock(resources: Array("8BIM\u{4}\u{4}\0\0\u{7F}\u{7F}\u{7F}\u{7F}".utf8)) == nil)
    #expect(IPTCBlock(resources: Array("8BIM\u{4}\0\u{7F}".utf8)) == nil)
  }

  @Test(
    "Formats that can hold no story yet are refused by name",
    arguments: [
      ("\0\0\0\u{18}ftypheic\0\0\0\0mif1heic", UnsupportedPhoto.heic),
      ("\0\0\0\u{14}ftypmif1\0\0\0\0mif1", .heif), ("\0\0\0\u{18}ftypmif1\0\0\0\0mif1avif", .avif),
      ("\0\0\0\u{14}ftypisom\0\0\0\0isom", .video), ("RIFF\u{1}\0\0\0WEBPVP8 ", .webP),
      ("GIF89a", .gif), ("II*\0", .tiff), ("MM\0*", .tiff), ("\0\0\0\u{C}JXL ", .jpegXL),
      ("BM1234", .bmp), ("%PDF-1.7", .pdf), ("<svg onload='x'/>", .svg), ("hello", .unknown),
      ("ftyp", .unknown), ("\0\0\0\0ftyp", .video),
    ])
  func formats(start: String, format: UnsupportedPhoto) {
    #expect(rejection(Array(start.utf8)) == .format(format))
  }
}
