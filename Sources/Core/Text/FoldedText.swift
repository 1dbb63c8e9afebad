extension String {
  /// The text for comparing what users type: NFKC without accents and case.
  public var folded: String {
    let quick = isQuickToNormalise ? self : withoutAllMarks
    let plain = quick.compatiblyDecomposed.withoutMarks
    var result = ""
    for scalar in plain.unicodeScalars {
      if let replacement = Self.plainLetters[scalar] {
        result += replacement
      } else {
        result += scalar.properties.lowercaseMapping
      }
    }
    // A capital with a dot (İ) yields the dot as a mark again.
    return result.withoutMarks.composed
  }

  /// Text with more marks than any language uses is read without marks.
  private var withoutAllMarks: String {
    String(
      UnicodeScalarView(
        unicodeScalars.filter { $0.properties.canonicalCombiningClass == .notReordered }))
  }

  /// Letters without a plain form in Unicode, which users type without their stroke.
  private static let plainLetters: [Unicode.Scalar: String] = [
    "ß": "ss", "ẞ": "ss", "æ": "ae", "Æ": "ae", "œ": "oe", "Œ": "oe", "ø": "o", "Ø": "o",
    "đ": "d", "Đ": "d", "ð": "d", "Ð": "d", "ł": "l", "Ł": "l", "ı": "i", "þ": "th", "Þ": "th",
    "ς": "σ",
  ]

  /// Removes accents; marks that are letters of their own (Japanese, Thai, Hindi …) stay. Removes
  /// invisible characters and variation selectors, too.
  private var withoutMarks: String {
    var kept = UnicodeScalarView()
    for scalar in unicodeScalars {
      switch scalar.value {
      case 0x300...0x36F, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE20...0xFE2F,
        0xFE00...0xFE0F, 0xAD, 0x200B...0x200C, 0x2060, 0xFEFF:
        continue
      default: kept.append(scalar)
      }
    }
    return String(kept)
  }
}
