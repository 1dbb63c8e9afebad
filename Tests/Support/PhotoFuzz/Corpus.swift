import Glibc
import PhotoMetadata

/// The files to be mutated: with everything that the readers parse, and cameras' files if
/// installed.
enum Corpus {
  /// Debian's `golang-github-rwcarlsen-goexif-dev`.
  private static let cameras = "/usr/share/gocode/src/github.com/rwcarlsen/goexif/exif"

  /// The whole corpus, in the same order each time; `folder` is a working folder.
  static func make(in folder: String, withCameras: Bool) throws -> [[UInt8]] {
    var corpus = [jpeg(big: false), jpeg(big: true), png(), movingPNG()]
    for bytes in corpus {
      for story in ["s", "字👨‍👩‍👧‍👦\n\t<&\"é", String(repeating: "字", count: 300)] {
        try Disk.put(bytes, folder + "/made")
        try PhotoFile.write(PhotoStory(story), into: folder + "/made", as: folder + "/made")
        corpus.append(try Disk.bytes(folder + "/made"))
      }
    }
    unlink(folder + "/made")
    guard withCameras else { return corpus }
    for path in ["", "/samples", "/corrupt"].flatMap({ Disk.files(in: cameras + $0) }) {
      let bytes = try Disk.bytes(path)
      corpus.append(bytes)
      // Most are headers only, which do not parse to the end: those get a picture.
      if (try? PhotoFile.identify(path)) == nil, let pieces = Pieces(bytes) {
        corpus.append(pieces.bytes(end: (pieces.hasFrame ? [] : frame) + picture))
      }
    }
    return corpus
  }

  private static let scan =
    Blocks.segment(0xDA, [1, 1, 0, 0, 63, 0]) + [1, 2, 0xFF, 0, 3, 0xFF, 0xD0, 4]
  private static let frame = Blocks.segment(0xC0, [8, 0, 16, 0, 16, 1, 1, 0x11, 0])
  private static let picture = scan + [0xFF, 0xD9]

  private static func text(_ string: String) -> [UInt8] { Array("\(string)\0".utf8) }

  private static func exif(big: Bool) -> [UInt8] {
    let units = Array("ai.album.story=x👨".utf16)
    let comment = Array("UNICODE\0".utf8) + units.flatMap { Blocks.number(Int($0), 2, big: big) }
    return Blocks.tiff(
      [
        (0x010D, 2, text("ai.album.story")), (0x010E, 2, text("於是 a caption")),
        (0x0112, 3, Blocks.number(6, 2, big: big)), (0x9C9C, 1, [0x57, 0x5B, 0x41, 0, 0, 0]),
      ],
      exif: [
        (0x9003, 2, text("2026:11:21 09:30:05")), (0x9011, 2, text("-09:30")),
        (0x9286, 7, comment), (0xA001, 3, Blocks.number(0xFFFF, 2, big: big)),
      ], interoperability: [(1, 2, text("R03"))], big: big)
  }

  private static let xmp = Blocks.packet(
    """
    <dc:description><rdf:Alt><rdf:li xml:lang="de">Berg</rdf:li><rdf:li xml:lang="x-default">\
    hill &#x1F468;&amp;</rdf:li></rdf:Alt></dc:description><!-- c --><p:story><![CDATA[a<b]]>\
    </p:story><a GCamera:MotionPhoto="1" dc:description='b'/>
    """)

  private static let iptc =
    Blocks.resource([])
    + Blocks.resource(
      Blocks.record(65, "ai.album.story") + Blocks.record(120, "caption")
        + [0x1C, 2, 120, 0x80, 4, 0, 0, 0, 2, 0x41, 0x42])

  private static let profile: String = {
    let digits = iptc.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    return "\niptc\n\(iptc.count)\n\(digits)\n"
  }()

  /// Content of compressed texts in a PNG.
  static let packable = [Array(profile.utf8), Array(xmp.utf8), Array("字é👨‍👩‍👧‍👦".utf8)]

  private static func jpeg(big: Bool) -> [UInt8] {
    let utf16 = Array(Blocks.packet("<p:story>y</p:story>").utf16)
    let parts: [[UInt8]] = [
      [0xFF, 0xD8], Blocks.segment(0xE0, text("JFIF") + [1, 2, 1, 0, 72, 0, 72, 1, 1, 9, 9, 9]),
      Blocks.segment(0xE1, Array("Exif\0\0".utf8) + exif(big: big)),
      Blocks.segment(0xE1, text("http://ns.adobe.com/xap/1.0/") + Array(xmp.utf8)),
      Blocks.segment(
        0xE1,
        text("http://ns.adobe.com/xap/1.0/") + utf16.flatMap { Blocks.number(Int($0), 2, big: big) }
      ),
      Blocks.segment(0xED, text("Photoshop 3.0") + iptc),
      Blocks.segment(0xE2, text("ICC_PROFILE") + [1, 1, 7, 7]),
      Blocks.segment(0xE2, text("MPF") + [1]), Blocks.segment(0xEE, text("Adobe\0d\0\0\0\0\u{1}")),
      Blocks.segment(0xFE, Array("a remark".utf8)),
      Blocks.segment(0xDB, [UInt8](repeating: 1, count: 65)),
      frame, scan, [0xFF],
      Blocks.segment(0xDD, [0, 1]), scan, [0xFF, 0xD9], text("\0\0\u{18}ftypmp42MotionPhoto_Data"),
    ]
    return parts.flatMap { $0 }
  }

  private static let header = Blocks.chunk("IHDR", [0, 0, 0, 4, 0, 0, 0, 4, 8, 0, 0, 0, 0])
  private static let data = Blocks.chunk(
    "IDAT", Blocks.pack([UInt8](repeating: 0, count: 20)))
  private static let mark: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  private static func png() -> [UInt8] {
    let parts: [[UInt8]] = [
      mark, header, Blocks.chunk("gAMA", [0, 0, 1, 1]),
      Blocks.chunk("iCCP", text("p") + [0] + Blocks.pack([1, 2, 3])),
      Blocks.chunk("tEXt", text("Comment") + Array("hello".utf8)),
      Blocks.chunk("zTXt", text("Title") + [0] + Blocks.pack(Array("zip".utf8))),
      Blocks.chunk("iTXt", text("Description") + [1, 0, 0, 0] + Blocks.pack(Array("字".utf8))),
      Blocks.chunk("iTXt", text("ai.album.story") + [0, 0, 0, 0] + Array("é".utf8)),
      Blocks.chunk("iTXt", text("XML:com.adobe.xmp") + [0, 0, 0, 0] + Array(xmp.utf8)),
      Blocks.chunk(
        "zTXt", text("Raw profile type iptc") + [0] + Blocks.pack(Array(profile.utf8))),
      Blocks.chunk("eXIf", exif(big: true)), data, Blocks.chunk("IEND", []), [9, 9, 9],
    ]
    return parts.flatMap { $0 }
  }

  private static func movingPNG() -> [UInt8] {
    let control: [UInt8] = Blocks.number(0, 4) + Blocks.number(4, 4) + Blocks.number(4, 4)
    let parts: [[UInt8]] = [
      mark, header, Blocks.chunk("acTL", [0, 0, 0, 1, 0, 0, 0, 0]),
      Blocks.chunk("fcTL", control + [UInt8](repeating: 0, count: 14)), data,
      Blocks.chunk("fdAT", [0, 0, 0, 1, 7]), Blocks.chunk("tIME", [7, 0xEA, 11, 21, 9, 30, 5]),
      Blocks.chunk("IEND", []),
    ]
    return parts.flatMap { $0 }
  }
}
