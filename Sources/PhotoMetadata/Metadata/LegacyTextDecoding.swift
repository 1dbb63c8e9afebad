import Core

/// Texts from before everything was UTF-8.
enum LegacyTextDecoding {
  /// UTF-8 if it is that, else Latin-1 if it can be that; up to the first zero. Anything else
  /// (Big5, Shift-JIS) can't be told and would be shown as nonsense: nil.
  static func decode(_ bytes: ArraySlice<UInt8>) -> String? {
    let text = bytes.prefix { $0 != 0 }
    if let string = String(validating: text, as: UTF8.self) { return string }
    guard !text.contains(where: { (0x80...0x9F).contains($0) }) else { return nil }
    return String(String.UnicodeScalarView(text.map { Unicode.Scalar($0) }))
  }

  /// UTF-16 up to the first zero; a byte order mark wins over `order`.
  static func utf16(_ bytes: ArraySlice<UInt8>, _ order: ByteCursor.Order) -> String? {
    var order = order
    var rest = bytes
    if bytes.starts(with: [0xFF, 0xFE]) {
      (order, rest) = (.little, bytes.dropFirst(2))
    } else if bytes.starts(with: [0xFE, 0xFF]) {
      (order, rest) = (.big, bytes.dropFirst(2))
    }
    var units: [UInt16] = []
    var index = rest.startIndex
    while index + 1 < rest.endIndex {
      let (one, two) = (UInt16(rest[index]), UInt16(rest[index + 1]))
      let unit = order == .little ? two << 8 | one : one << 8 | two
      if unit == 0 { break }
      units.append(unit)
      index += 2
    }
    return String(validating: units, as: UTF16.self)
  }

  /// A text from a file as it can be shown: normalised as stories are, without control
  /// characters, of at most `PhotoStory.maximumBytes`; nil when nothing is left.
  static func clean(_ text: String) -> String? {
    guard text.isQuickToNormalise else { return nil }
    var text = text
    if text.utf8.count > 8 * PhotoStory.maximumBytes {
      text = String(decoding: text.utf8.prefix(8 * PhotoStory.maximumBytes), as: UTF8.self)
    }
    // Line ends first: a lone return would else be gone as a control character.
    let normalised = PhotoStory.normalised(text)
    let allowed = normalised.unicodeScalars.filter(PhotoStory.allows)
    text = PhotoStory.normalised(String(String.UnicodeScalarView(allowed)))
    text = prefix(of: text, bytes: PhotoStory.maximumBytes)
    return text.isEmpty ? nil : text
  }

  /// As many whole characters of a text as fit into so many bytes. Goes forward: to find the last
  /// character of a row of flags, all of it must be looked at.
  static func prefix(of text: some StringProtocol, bytes limit: Int) -> String {
    guard text.utf8.count > limit else { return String(text) }
    var result = ""
    var count = 0
    for character in text {
      count += character.utf8.count
      guard count <= limit else { break }
      result.append(character)
    }
    return result
  }
}
