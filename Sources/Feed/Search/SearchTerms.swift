/// The terms of a search: all of them must be in a text.
struct SearchTerms: Sendable {
  enum Term: Sendable {
    /// Bigrams of a text, one after another.
    case bigrams([String])
    /// The first character of a bigram, or the last one of a run.
    case beginning(String)
  }

  /// The number of code points of a bigram in PostgreSQL's index, which permits 2 KB
  /// (`search_tokens` in `SearchSchema`).
  static let indexedScalars = 100

  let all: [Term]

  /// The query of SQLite's index: `"ca af fe" "雨" *`.
  var fts5: String {
    all.map { term in
      switch term {
      case .bigrams(let bigrams): "\"\(bigrams.joined(separator: " "))\""
      case .beginning(let character): "\"\(character)\" *"
      }
    }.joined(separator: " ")
  }

  /// The query of PostgreSQL's index, which does not know which bigrams are adjacent:
  /// `'ca' & 'af' & 'fe' & '雨':*`. Bigrams have no quotes.
  var tsquery: String {
    all.flatMap { term in
      switch term {
      case .bigrams(let bigrams): bigrams.map { "'\(Self.indexed($0))'" }
      case .beginning(let character): ["'\(Self.indexed(character))':*"]
      }
    }.joined(separator: " & ")
  }

  /// The parts of the indexed form of a text that has the terms, with a space before and after that
  /// form: ` ca af fe `, ` 雨`.
  var parts: [String] {
    all.map { term in
      switch term {
      case .bigrams(let bigrams): " \(bigrams.joined(separator: " ")) "
      case .beginning(let character): " \(character)"
      }
    }
  }

  private static func indexed(_ text: String) -> String {
    String(text.unicodeScalars.prefix(indexedScalars))
  }
}
