/// Finds the links in a text, in one pass over its UTF-8 bytes: each byte is read a fixed number of
/// times in any text.
struct LinkFinder<Bytes: RandomAccessCollection<UInt8>> where Bytes.Index == Int {
  private let bytes: Bytes
  private var position: Int

  init(_ bytes: Bytes) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  /// The range of the next "http://" or "https://" with a host after it and no letter before it;
  /// nil if there is none.
  mutating func next() -> Range<Int>? {
    while let start = bytes[position...].firstIndex(of: UInt8(ascii: "h")) {
      position = start + 1
      if start > bytes.startIndex, Self.isASCIILetter(bytes[start - 1]) { continue }
      guard let host = endOfScheme(from: start) else { continue }
      let end = endOfRun(from: host)
      position = end
      let link = start..<withoutPunctuation(start..<end)
      if link.upperBound > host { return link }
    }
    position = bytes.endIndex
    return nil
  }

  private func endOfScheme(from start: Int) -> Int? {
    for scheme in ["http://", "https://"] where bytes[start...].starts(with: scheme.utf8) {
      return start + scheme.utf8.count
    }
    return nil
  }

  /// The position of the next space, quote, bracket or full-width punctuation.
  private func endOfRun(from start: Int) -> Int {
    var end = start
    while end < bytes.endIndex, !isEnd(end) { end += 1 }
    return end
  }

  private func isEnd(_ place: Int) -> Bool {
    switch bytes[place] {
    case 0...0x20, UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"),
      UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "|"),
      UInt8(ascii: "\\"), UInt8(ascii: "^"):
      true
    // U+3000 to U+303F.
    case 0xE3: byte(place + 1) == 0x80
    // U+FF00 to U+FF65.
    case 0xEF: byte(place + 1) == 0xBC || byte(place + 1) == 0xBD && byte(place + 2) <= 0xA5
    default: false
    }
  }

  private func byte(_ place: Int) -> UInt8 { place < bytes.endIndex ? bytes[place] : 0 }

  /// The link without punctuation that ends a sentence, and without closing brackets that nothing
  /// in the link opens.
  private func withoutPunctuation(_ link: Range<Int>) -> Int {
    var openCount = 0
    for byte in bytes[link] {
      if byte == UInt8(ascii: "(") { openCount -= 1 }
      if byte == UInt8(ascii: ")") { openCount += 1 }
    }
    var end = link.upperBound
    while end > link.lowerBound {
      switch bytes[end - 1] {
      case UInt8(ascii: "."), UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: ";"),
        UInt8(ascii: "!"), UInt8(ascii: "?"):
        break
      case UInt8(ascii: ")") where openCount > 0: openCount -= 1
      default: return end
      }
      end -= 1
    }
    return end
  }

  private static func isASCIILetter(_ byte: UInt8) -> Bool {
    UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
  }
}
