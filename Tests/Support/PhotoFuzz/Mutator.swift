/// Makes broken files from intact ones.
enum Mutator {
  private static let words: [[UInt8]] =
    [
      "Exif\0\0", "JFIF\0", "http://ns.adobe.com/xap/1.0/\0", "Photoshop 3.0\0", "ICC_PROFILE\0",
      "Adobe", "MPF\0", "8BIM", "8BIM\u{4}\u{4}\0\0", "ai.album.story", "ai.album.story=",
      "UNICODE\0", "ASCII\0\0\0", "II*\0", "MM\0*", "R03\0", "IHDR", "IDAT", "IEND", "fdAT",
      "tEXt", "zTXt", "iTXt", "eXIf", "CgBI", "Description\0", "XML:com.adobe.xmp\0",
      "Raw profile type iptc\0", "<p:story>", "</p:story>", "<![CDATA[", "]]>", "<!--", "-->",
      "<?", "?>", "&#", "&#x", "&amp;", "xmlns:p='urn:pairspot:album:1.0#'", "rdf:li", "</", "/>",
      "\n\r\n", "\u{FEFF}", "👨‍👩‍👧‍👦", "🇹🇼🇹🇼🇹🇼", "e\u{323}\u{301}\u{323}", "MotionPhoto_Data",
      "2026:11:21 09:30:05",
    ].map { Array($0.utf8) } + [
      [0xFF, 0xD9], [0xFF, 0xD8], [0xFF, 0xDA], [0xFF, 0xC4], [0xFF, 0xC0], [0xFF, 0xE1, 0, 2],
      [0xFF, 0xED, 0xFF, 0xFF], [0x1C, 2, 120], [0x1C, 2, 65], [0x1C, 2, 120, 0x80, 4],
      [0xFF, 0xFE], [0xFE, 0xFF], [0xD8, 0x3D], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
    ]

  private static let numbers = [
    0, 1, 2, 4, 7, 8, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFE, 0xFFFF, 0x10000, 0x0FFF_FFFF,
    0x3FFF_FFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFC, 0xFFFF_FFFF,
  ]

  static func mutate(_ bytes: [UInt8], _ corpus: [[UInt8]], _ dice: inout SeededRandom) -> [UInt8] {
    // Three in four keep their frame: most others are rejected before their blocks are read.
    if dice.below(4) > 0, var pieces = Pieces(bytes) {
      pieces.mutate(corpus, &dice)
      return pieces.bytes
    }
    var result = bytes
    for _ in 0..<(1 << dice.below(4)) { change(&result, corpus, &dice) }
    if dice.below(12) == 0 { result.removeSubrange(dice.below(result.count + 1)...) }
    // With a wrong checksum most broken chunks of a PNG would not be parsed.
    if dice.below(4) > 0 { mendChecksums(&result) }
    return result
  }

  /// Makes a small change at a random place.
  static func change(_ bytes: inout [UInt8], _ corpus: [[UInt8]], _ dice: inout SeededRandom) {
    guard !bytes.isEmpty else { return }
    // Most bytes that matter are at the beginning.
    let reach = min(bytes.count, dice.pick([64, 512, 2048, 8192, bytes.count]))
    let place = dice.below(reach)
    let piece = place..<min(bytes.count, place + 1 + dice.below(dice.pick([4, 16, 256, 4096])))
    switch dice.below(12) {
    case 0: bytes[place] = UInt8(dice.below(256))
    case 1: bytes[place] ^= 1 << UInt8(dice.below(8))
    case 2: bytes[place] &+= dice.pick([1, 255])
    case 3, 4:
      let count = dice.pick([1, 2, 4])
      let value = dice.below(4) == 0 ? bytes.count - dice.below(64) : dice.pick(numbers)
      let number = Blocks.number(value, count, big: dice.below(2) == 0)
      for (index, byte) in zip(place..<bytes.count, number) { bytes[index] = byte }
    case 5: bytes.insert(contentsOf: dice.pick(words), at: place)
    case 6: for (index, byte) in zip(place..<bytes.count, dice.pick(words)) { bytes[index] = byte }
    case 7: bytes.removeSubrange(piece)
    case 8: bytes.insert(contentsOf: Array(bytes[piece]), at: dice.below(reach))
    case 9:
      let filler = [UInt8](repeating: UInt8(dice.below(256)), count: piece.count)
      bytes.replaceSubrange(piece, with: filler)
    case 10:
      for index in piece { bytes[index] = UInt8(truncatingIfNeeded: dice.next()) }
    default:
      let other = dice.pick(corpus)
      let start = dice.below(other.count)
      let end = min(other.count, start + 1 + dice.below(4096))
      bytes.replaceSubrange(piece, with: other[start..<end])
    }
  }

  private static func mendChecksums(_ bytes: inout [UInt8]) {
    guard bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) else { return }
    var position = 8
    while position + 12 <= bytes.count {
      let length = bytes[position..<(position + 4)].reduce(0) { $0 << 8 | Int($1) }
      let end = position + 8 + length
      guard end + 4 <= bytes.count else { return }
      let sum = Blocks.number(Blocks.checksum(bytes[(position + 4)..<end]), 4)
      bytes.replaceSubrange(end..<(end + 4), with: sum)
      position = end + 4
    }
  }
}
