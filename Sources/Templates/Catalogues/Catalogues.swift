import Core
import Foundation

/// The texts of the user interface, in all languages.
///
/// One file a language, `en.json`, `zh-Hant.json`, `zh-Hans.json` (docs/developer/design.md#texts):
/// one object of texts by key. Objects inside join their keys with dots. A text with `one` and
/// `other` is a plural (Chinese has `other` alone), chosen by the parameter `count` or the one that
/// `by` names. `{name}` is a parameter.
public struct Catalogues: Sendable {
  /// The folder of the files; nil for catalogues made in memory.
  let directory: String?
  private let languages: [LanguageTexts]

  /// Reads the files of this directory; `isChecked` promises that they have been parsed before, and
  /// compared with each other. Then each is parsed at the first use of its language.
  ///
  /// Throws `CatalogueError` with all errors: a file that cannot be read or is not JSON, keys
  /// missing in a language, parameters that differ, wrong plural forms.
  public init(directory: String, isChecked: Bool = false) throws {
    var problems: [String] = []
    var sources: [Language: Data] = [:]
    for language in Language.allCases {
      let path = Self.path(of: language, in: directory)
      do {
        sources[language] = try Data(contentsOf: URL(fileURLWithPath: path))
      } catch {
        problems.append("\(path) cannot be read: \(error.localizedDescription)")
      }
    }
    try self.init(sources: sources, problems: problems, directory: directory, isChecked: isChecked)
  }

  init(
    sources: [Language: Data], problems: [String] = [], directory: String? = nil,
    isChecked: Bool = false
  ) throws {
    self.directory = directory
    if isChecked, problems.isEmpty {
      languages = Language.allCases.map { LanguageTexts($0, checked: sources[$0] ?? Data()) }
      return
    }
    var problems = problems
    let catalogues = Language.allCases.map { language in
      guard let source = sources[language] else { return [String: Message]() }
      var reader = CatalogueReader(language: language)
      reader.read(source)
      problems += reader.problems
      return reader.messages
    }
    if problems.isEmpty { problems = CatalogueComparison.problems(in: catalogues) }
    guard problems.isEmpty else { throw CatalogueError(problems: problems) }
    languages = zip(Language.allCases, catalogues).map(LanguageTexts.init)
  }

  static func path(of language: Language, in directory: String) -> String {
    "\(directory)/\(language.rawValue).json"
  }

  /// The keys of all texts, sorted.
  public var keys: [String] {
    languages[0].messages.keys.sorted()
  }

  /// Whether there is a text with this key.
  public func contains(_ key: String) -> Bool {
    languages[0].messages[key] != nil
  }

  /// A text with its parameters replaced, not escaped.
  ///
  /// `count` chooses the form of a plural and, grouped, is the value of the parameter that chooses.
  /// An unknown key is returned itself, and a parameter without a value stays as it is written.
  public func text(
    _ key: String, in language: Language, _ parameters: [String: String] = [:], count: Int? = nil
  ) -> String {
    guard let message = message(key, in: language) else { return key }
    if case .plain(let only) = message, only.pieces.count == 1,
      case .literal(let text) = only.pieces[0]
    {
      return text
    }
    var values = parameters
    var pattern: Pattern
    switch message {
    case .plain(let only):
      pattern = only
      if let count, values["count"] == nil { values["count"] = count.grouped }
    case .plural(let by, let one, let other):
      pattern = other
      if let count = count ?? parameters[by].flatMap({ Int($0, in: 0 ... .max) }) {
        if values[by] == nil { values[by] = count.grouped }
        if let one, Message.isOne(count) { pattern = one }
      }
    }
    return pattern.pieces.map { piece in
      switch piece {
      case .literal(let text): text
      case .parameter(let name): values[name] ?? "{\(name)}"
      }
    }.joined()
  }

  func message(_ key: String, in language: Language) -> Message? {
    languages[language.index].messages[key]
  }
}

/// All errors of the catalogues, one line each.
public struct CatalogueError: Error, CustomStringConvertible {
  public let problems: [String]

  public var description: String {
    problems.joined(separator: "\n")
  }
}
