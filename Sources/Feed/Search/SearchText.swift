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

  /// The terms of a search; nil if it has nothing that can be searched for. Each word must be in the
  /// text, whole or as a part. A single character is searched for only where it is meaningful, as in
  /// Chinese; a single letter or digit of other scripts is not.
  static func terms(_ query: String) -> SearchTerms? {
    let terms = runs(of: queryLimits.beginning(of: query)).prefix(maximumWords).compactMap {
      run -> SearchTerms.Term? in
      guard run.count == 1 else { return .bigrams(bigrams(of: run)) }
      return isNotifying(run[0]) ? .beginning(String(run[0])) : nil
    }
    return terms.isEmpty ? nil : SearchTerms(all: terms)
  }

  private static func bigrams(of run: [Character]) -> [String] {
    zip(run, run.dropFirst()).map { "\($0)\($1)" }
  }

  private static func isNotifying(_ character: Character) -> Bool {
    (character.unicodeScalars.first?.value ?? 0) >= 0x2E80
  }

  /// The runs of a text, after folding.
  static func runs(of text: String) -> [[Character]] {
    text.folded.split { !isPart($0) }.map(Array.init)
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
}
