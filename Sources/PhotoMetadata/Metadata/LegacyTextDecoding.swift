import Core

/// Decodes texts that may not be UTF-8.
enum LegacyTextDecoding {
  /// Decodes UTF-8, else Latin-1 if plausible; up to the first zero. Nil for other encodings (Big5,
  /// Shift-JIS), which cannot be detected and would be shown garbled.
  static func decode(_ bytes: ArraySlice<UInt8>) -> String? {
    let text = bytes.prefix { $0 != 0 }
    if let string = String(validating: text, as: UTF8.self) { return string }
    guard !text.contains(where: { (0x80...0x9F).contains($0) }) else { return nil }
    return String(String.UnicodeScalarView(text.map { Unicode.Scalar($0) }))
  }

  /// UTF-16 up to the first zero; a byte order mark overrides `order`.
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

  /// A text from a file for display: normalised like stories, without control characters, of at
  /// most `PhotoStory.maximumBytes`; nil if nothing is left.
  static func clean(_ text: String) -> String? {
    guard text.isQuickToNormalise else { return nil }
    var text = text
    if text.utf8.count > 8 * PhotoStory.maximumBytes {
      text = String(decoding: text.utf8.prefix(8 * PhotoStory.maximumBytes), as: UTF8.self)
    }
    // Line ends first: a lone carriage return would otherwise be removed as a control character.
    let normalised = PhotoStory.normalised(text)
    let allowed = normalised.unicodeScalars.filter(PhotoStory.allows)
    text = PhotoStory.normalised(String(String.UnicodeScalarView(allowed)))
    text = prefix(of: text, bytes: PhotoStory.maximumBytes)
    return text.isEmpty ? nil : text
  }

  /// The longest prefix of whole characters that fits into this number of bytes. Iterates forwards:
  /// finding the last character in a row of flags means reading all of it.
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
