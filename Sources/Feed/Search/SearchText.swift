import Core
import Foundation

/// Words as the search sees them: without case, accents and forms of width; runs of letters,
/// digits and pictographs, divided by everything else.
///
/// A run becomes its bigrams, and its last character alone: "café" is "ca af fe e". So two
/// characters of Chinese are found as well as a word, without knowing where words end; and one
/// character is found as the beginning of a bigram.
enum SearchText {
  /// Characters of a query that count; more words than this aren't looked for.
  static let queryMost = FieldLimits(characters: 100)
  static let wordsMost = 8

  /// What is kept in the index for a text.
  static func indexed(_ text: String) -> String {
    runs(of: text).map { run in
      (bigrams(of: run) + [String(run[run.count - 1])]).joined(separator: " ")
    }.joined(separator: " ")
  }

  /// What a query asks of the index; nil when there is nothing in it that can be looked for. Each
  /// word has to be in the text, whole or as a part. One character alone is looked for where it
  /// says something, as in Chinese; a single letter or digit of other scripts doesn't.
  static func asked(_ query: String) -> String? {
    let parts = runs(of: queryMost.beginning(of: query)).prefix(wordsMost).compactMap {
      run -> String? in
      guard run.count == 1 else { return "\"\(bigrams(of: run).joined(separator: " "))\"" }
      return isTelling(run[0]) ? "\"\(run[0])\" *" : nil
    }
    return parts.isEmpty ? nil : parts.joined(separator: " ")
  }

  private static func bigrams(of run: [Character]) -> [String] {
    zip(run, run.dropFirst()).map { "\($0)\($1)" }
  }

  private static func isTelling(_ character: Character) -> Bool {
    (character.unicodeScalars.first?.value ?? 0) >= 0x2E80
  }

  /// The runs of a text, folded.
  static func runs(of text: String) -> [[Character]] {
    folded(text).split { !isPart($0) }.map(Array.init)
  }

  private static func isPart(_ character: Character) -> Bool {
    // A mark can take a sign into its character: what has one is none.
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
    // What was a capital with a dot (İ) brings it back as a mark.
    return withoutMarks(result).composed
  }

  /// What carries more marks than any language needs is read without them.
  private static func withoutAllMarks(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.filter { $0.properties.canonicalCombiningClass == .notReordered }))
  }

  /// Letters that have no plain form in Unicode, and people write without their stroke.
  private static let special: [Unicode.Scalar: String] = [
    "ß": "ss", "ẞ": "ss", "æ": "ae", "Æ": "ae", "œ": "oe", "Œ": "oe", "ø": "o", "Ø": "o",
    "đ": "d", "Đ": "d", "ð": "d", "Ð": "d", "ł": "l", "Ł": "l", "ı": "i", "þ": "th", "Þ": "th",
    "ς": "σ",
  ]

  /// Accents go; marks that are letters of their own (of Japanese, Thai, Hindi …) stay. What can't
  /// be seen, and chooses between forms of the same character, goes too.
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
