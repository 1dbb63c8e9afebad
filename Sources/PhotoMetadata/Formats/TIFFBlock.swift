/// The fields read from an EXIF block (TIFF 6.0, Exif 3.0): the main directory, its EXIF directory
/// and that one's interoperability directory. No other pointer is followed, so there are no cycles.
struct TIFFBlock {
  private struct Entry {
    let type: Int
    let value: Range<Int>
  }

  private let bytes: [UInt8]
  private let order: ByteCursor.Order
  private var main: [Int: Entry] = [:]
  private var exif: [Int: Entry] = [:]
  private var interoperability: [Int: Entry] = [:]

  /// Nil without a TIFF header; the rest is read as far as it is intact.
  init?(_ bytes: [UInt8]) {
    if bytes.starts(with: [0x49, 0x49, 0x2A, 0]) {
      order = .little
    } else if bytes.starts(with: [0x4D, 0x4D, 0, 0x2A]) {
      order = .big
    } else {
      return nil
    }
    self.bytes = bytes
    var cursor = ByteCursor(bytes, from: 4)
    guard let start = cursor.number(4, order) else { return nil }
    main = directory(at: start)
    if let start = number(main[0x8769]) { exif = directory(at: start) }
    if let start = number(exif[0xA005]) { interoperability = directory(at: start) }
  }

  /// Size of a value in bytes, for TIFF's types 1 to 12.
  private static let sizes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8]

  private func directory(at start: Int) -> [Int: Entry] {
    guard start >= 8, start < bytes.count else { return [:] }
    var cursor = ByteCursor(bytes, from: start)
    var entries: [Int: Entry] = [:]
    for _ in 0..<(cursor.number(2, order) ?? 0) {
      guard let tag = cursor.number(2, order), let type = cursor.number(2, order),
        let count = cursor.number(4, order), let field = cursor.take(4)
      else { break }
      guard Self.sizes.indices.contains(type), type > 0, count > 0, entries[tag] == nil else {
        continue
      }
      let size = Self.sizes[type] * count
      var place = ByteCursor(bytes, in: field)
      if size > 4 {
        guard let offset = place.number(4, order), offset <= bytes.count else { continue }
        place = ByteCursor(bytes, from: offset)
      }
      if let value = place.take(size) { entries[tag] = Entry(type: type, value: value) }
    }
    return entries
  }

  /// The first value of an entry of type SHORT or LONG.
  private func number(_ entry: Entry?) -> Int? {
    guard let entry, entry.type == 3 || entry.type == 4 else { return nil }
    var cursor = ByteCursor(bytes, in: entry.value)
    return cursor.number(entry.type == 3 ? 2 : 4, order)
  }

  private func ascii(_ entry: Entry?) -> String? {
    guard let entry, entry.type == 2 else { return nil }
    let text = bytes[entry.value].prefix { $0 != 0 }
    return String(validating: text, as: UTF8.self)
  }

  /// 1 to 8; nil if missing or invalid.
  var orientation: Int? {
    number(main[0x0112]).flatMap { (1...8).contains($0) ? $0 : nil }
  }

  /// 1 for sRGB; other values mean another space or an ICC profile.
  var colourSpace: Int? { number(exif[0xA001]) }

  /// Whether the colours are Adobe RGB according to the camera file system standard (DCF 2.0).
  var isAdobeRGB: Bool { ascii(interoperability[0x0001]) == "R03" }

  var taken: DateTaken? {
    (ascii(exif[0x9003]) ?? ascii(exif[0x9004])).flatMap {
      DateTaken(exif: $0, offset: ascii(exif[0x9011]))
    }
  }

  var isMarked: Bool { ascii(main[0x010D]) == PhotoStory.key }

  /// ImageDescription if it is UTF-8.
  var description: String? { ascii(main[0x010E]) }

  /// ImageDescription in any encoding.
  var oldDescription: String? {
    main[0x010E].flatMap { LegacyTextDecoding.decode(bytes[$0.value]) }
  }

  /// UserComment: the first eight bytes are the character code.
  private var comment: (code: ArraySlice<UInt8>, text: ArraySlice<UInt8>)? {
    guard let entry = exif[0x9286], entry.value.count > 8 else { return nil }
    let whole = bytes[entry.value]
    return (whole.prefix(8), whole.dropFirst(8))
  }

  private static let plainCodes = [[UInt8](repeating: 0, count: 8), Array("ASCII\0\0\0".utf8)]
  private static let unicodeCode = Array("UNICODE\0".utf8)

  /// The text after our mark in UserComment.
  var commentStory: String? {
    guard let comment else { return nil }
    let mark = PhotoStory.key + "="
    var readings: [String?] = []
    if Self.plainCodes.contains(where: comment.code.elementsEqual) {
      readings = [String(validating: comment.text.prefix { $0 != 0 }, as: UTF8.self)]
    } else if comment.code.elementsEqual(Self.unicodeCode) {
      readings = [ByteCursor.Order.little, .big].map { LegacyTextDecoding.utf16(comment.text, $0) }
    }
    for case let text? in readings where text.hasPrefix(mark) {
      return String(text.unicodeScalars.dropFirst(mark.unicodeScalars.count))
    }
    return nil
  }

  /// UserComment without our mark, in any encoding.
  var oldComment: String? {
    guard let comment, commentStory == nil else { return nil }
    return comment.code.elementsEqual(Self.unicodeCode)
      ? LegacyTextDecoding.utf16(comment.text, order) : LegacyTextDecoding.decode(comment.text)
  }

  /// The comment field of Windows (XPComment).
  var windowsComment: String? {
    main[0x9C9C].flatMap { LegacyTextDecoding.utf16(bytes[$0.value], .little) }
  }
}
