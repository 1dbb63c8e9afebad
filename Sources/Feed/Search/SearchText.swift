import Core
import Foundation

/// Normalised words of the search: without case, accents and width forms; runs of letters, digits
/// and pictographs, separated by everything else.
///
/// A run is indexed as its bigrams and its last character alone: "café" is "ca af fe e". So two
/// Chinese characters are found as well as a word, without word segmentation, and one character is
/// found as the beginning of a bigram.
enum SearchText {
  /// Maximum number of characters of a query; below, of words. The rest is ignored.
  static let queryLimits = FieldLimits(characters: 100)
  static let maximumWords = 8

  /// The indexed form of a text.
  static func indexed(_ text: String) -> String {
    runs(of: text).map { run in
      (bigrams(of: run) + [String(run[run.count - 1])]).joined(separator: " ")
    }.joined(separator: " ")
  }

  /// The index query for a search; nil if it has nothing that can be searched for. Each word must
  /// be in the text, whole or as a part. A single character is searched for only where it is
  /// meaningful, as in Chinese; a single letter or digit of other scripts is not.
  static func ftsQuery(_ query: String) -> String? {
    let parts = runs(of: queryLimits.beginning(of: query)).prefix(maximumWords).compactMap {
      run -> String? in
      guard run.count == 1 else { return "\"\(bigrams(of: run).joined(separator: " "))\"" }
      return isNotifying(run[0]) ? "\"\(run[0])\" *" : nil
    }
    return parts.isEmpty ? nil : parts.joined(separator: " ")
  }

  private static func bigrams(of run: [Character]) -> [String] {
    zip(run, run.dropFirst()).map { "\($0)\($1)" }
  }

  private static func isNotifying(_ character: Character) -> Bool {
    (character.unicodeScalars.first?.value ?? 0) >= 0x2E80
  }

  /// The runs of a text, after folding.
  static func runs(of text: String) -> [[Character]] {
    folded(text).split { !isPart($0) }.map(Array.init)
  }

  private static func isPart(_ character: Character) -> Bool {
    // A combining mark can join a sign into one character; such a character is not part of a word.
    let hasSign = character.unicodeScalars.contains {
      $0.isASCII && !$0.properties.isAlphabetic && $0.properties.numericType == nil
    }
    if hasSign { return false }
    if character.isLetter || character.isNumber { return true }
    guard let first = character.unicodeScalars.first, first.value >= 0x2000 else { return false }
    return first.properties.generalCategory == .otherSymbol
  }

  /// NFKC without accents and case.
  static func folded(_ text: String) -> String {
    let quick = text.isQuickToNormalise ? text : withoutAllMarks(text)
    let plain = withoutMarks(quick.compatiblyDecomposed)
    var result = ""
    for scalar in plain.unicodeScalars {
      if let replacement = special[scalar] {
        result += replacement
      } else {
        result += scalar.properties.lowercaseMapping
      }
    }
    // A capital with a dot (İ) yields the dot as a mark again.
    return withoutMarks(result).composed
  }

  /// Text with more marks than any language uses is read without marks.
  private static func withoutAllMarks(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.filter { $0.properties.canonicalCombiningClass == .notReordered }))
  }

  /// Letters without a plain form in Unicode, which users type without their stroke.
  private static let special: [Unicode.Scalar: String] = [
    "ß": "ss", "ẞ": "ss", "æ": "ae", "Æ": "ae", "œ": "oe", "Œ": "oe", "ø": "o", "Ø": "o",
    "đ": "d", "Đ": "d", "ð": "d", "Ð": "d", "ł": "l", "Ł": "l", "ı": "i", "þ": "th", "Þ": "th",
    "ς": "σ",
  ]

  /// Removes accents; marks that are letters of their own (Japanese, Thai, Hindi …) stay. Removes
  /// invisible characters and variation selectors, too.
  private static func withoutMarks(_ text: String) -> String {
    var kept = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
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
