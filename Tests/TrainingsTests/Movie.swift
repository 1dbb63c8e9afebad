/// Small MP4 files, box by box.
enum Movie {
  static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
    number(content.count + 8) + Array(type.utf8) + content
  }

  /// A box with a 64-bit length.
  static func longBox(_ type: String, _ content: [UInt8]) -> [UInt8] {
    number(1) + Array(type.utf8) + number(0) + number(content.count + 16) + content
  }

  static func number(_ value: Int) -> [UInt8] {
    withUnsafeBytes(of: UInt32(truncatingIfNeeded: value).bigEndian, Array.init)
  }

  static func brand(_ major: String, _ others: [String] = []) -> [UInt8] {
    box("ftyp", Array(major.utf8) + number(512) + others.flatMap { Array($0.utf8) })
  }

  static func track(_ handler: String) -> [UInt8] {
    box(
      "trak",
      box(
        "mdia",
        box("hdlr", number(0) + number(0) + Array(handler.utf8) + [UInt8](repeating: 0, count: 13))
      ))
  }

  /// Duration in ms.
  static func header(_ length: Int = 90_000) -> [UInt8] {
    box(
      "mvhd",
      number(0) + number(0) + number(0) + number(1000) + number(length)
        + [UInt8](repeating: 0, count: 80))
  }

  static func movie(_ handlers: String...) -> [UInt8] {
    box("moov", header() + handlers.flatMap(track))
  }

  static let data = box("mdat", [UInt8](repeating: 7, count: 400))

  /// A film of 90 s, according to its boxes.
  static let whole = brand("isom", ["isom", "mp41"]) + movie("vide", "soun") + data
}
