/// A text in a PNG (PNG specification, third edition, section 11.3.3).
struct PNGText {
  static let xmpKeyword = "XML:com.adobe.xmp"
  static let iptcKeyword = "Raw profile type iptc"

  let keyword: String
  /// Uncompressed, in the original encoding.
  let value: [UInt8]
  private let isUTF8: Bool

  /// Nil if it is no text chunk, is broken, or expands to more than `PhotoLimits.block`.
  init?(_ type: String, _ bytes: [UInt8], _ content: Range<Int>) {
    var cursor = ByteCursor(bytes, in: content)
    guard let name = cursor.take(until: 0, within: 80) else { return nil }
    keyword = String(decoding: bytes[name], as: UTF8.self)
    isUTF8 = type == "iTXt"
    var isPacked = type == "zTXt"
    if isUTF8 {
      guard let flag = cursor.byte() else { return nil }
      isPacked = flag == 1
    }
    if type != "tEXt" {
      guard let method = cursor.byte(), method == 0 else { return nil }
    }
    if isUTF8 {
      guard cursor.take(until: 0) != nil, cursor.take(until: 0) != nil else { return nil }
    }
    let rest = bytes[cursor.position..<content.upperBound]
    if isPacked {
      guard let unpacked = Deflate.unpack(rest) else { return nil }
      value = unpacked
    } else {
      value = Array(rest)
    }
  }

  var string: String? {
    isUTF8 ? String(validating: value, as: UTF8.self) : LegacyTextDecoding.decode(value[...])
  }

  /// Content of an uncompressed `iTXt` chunk without a language.
  static func make(_ keyword: String, _ utf8: [UInt8]) -> [UInt8] {
    Array(keyword.utf8) + [0, 0, 0, 0, 0] + utf8
  }

  /// ImageMagick's format for binary data in a text, also used by others: a line break, the name,
  /// the length in eight columns, and hexadecimal lines of 36 bytes.
  static func profile(_ name: String, _ block: [UInt8]) throws(PhotoError) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    let length = String(block.count)
    var text = Array("\n\(name)\n\(String(repeating: " ", count: 8 - length.count))\(length)".utf8)
    for (index, byte) in block.enumerated() {
      if index % 36 == 0 { text.append(0x0A) }
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    text.append(0x0A)
    guard let packed = Deflate.pack(text) else { throw .unknown("zlib cannot pack") }
    return Array("Raw profile type \(name)".utf8) + [0, 0] + packed
  }

  /// The binary data of such a text.
  static func profile(_ text: [UInt8]) -> [UInt8]? {
    let lines = text.split(separator: 0x0A, maxSplits: 2)
    guard lines.count == 3,
      let length = Int(String(decoding: lines[1].filter { $0 != 0x20 }, as: UTF8.self)),
      (1...PhotoLimits.block).contains(length)
    else { return nil }
    var bytes: [UInt8] = []
    var half: UInt8?
    for character in lines[2] {
      guard let digit = digit(character) else { continue }
      if let high = half {
        bytes.append(high << 4 | digit)
        half = nil
      } else {
        half = digit
      }
    }
    return bytes.count == length ? bytes : nil
  }

  private static func digit(_ character: UInt8) -> UInt8? {
    switch character {
    case 0x30...0x39: character - 0x30
    case 0x61...0x66: character - 0x57
    case 0x41...0x46: character - 0x37
    default: nil
    }
  }
}
